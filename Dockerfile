# withhold in a container, without root:
#   docker build -t withhold .
#   docker run --rm -v "$PWD:/data" withhold anonymize baskets.dat --rho 0.5 --sensitive sensitive.txt -o published.dat
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels --constraint constraints.txt '.[excel,dask]'

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 custodian
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'withhold[excel,dask]'
USER custodian
# Kernels are compiled once here, so that no container waits for it.
RUN cd /tmp && withhold demo --quiet && rm -rf withhold-demo
WORKDIR /data
ENTRYPOINT ["withhold"]
CMD ["--help"]
