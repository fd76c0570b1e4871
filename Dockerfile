# withhold in a container, without root. Files that it writes belong to you:
#   docker build --build-arg UID="$(id -u)" -t withhold .
#   docker run --rm -v "$PWD:/data" withhold anonymize baskets.dat --rho 0.5 --sensitive sensitive.txt -o published.dat
# The page listens on the loopback address alone, which is also its guard, so it needs the network of the host:
#   docker run --rm -it --network host -v "$PWD:/data" withhold page --no-browser
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY docs docs
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels --constraint constraints.txt '.[page,excel,dask]'

FROM python:3.12-slim
ARG UID=1000
RUN useradd --create-home --uid "$UID" custodian
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'withhold[page,excel,dask]'
USER custodian
# Kernels are compiled here, so that no container waits for it. The demo compiles only if it is larger than usual.
RUN cd /tmp && withhold demo --quiet --baskets 2001 && withhold demo --quiet --people --persons 2001 --force \
    && rm -rf withhold-demo
WORKDIR /data
ENTRYPOINT ["withhold"]
CMD ["--help"]
