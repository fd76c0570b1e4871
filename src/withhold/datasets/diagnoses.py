"""What a hospital treats: diagnoses by chapter, most frequent first, with the drugs they are treated with.

Plain medical words, collected for this example; the numbers are invented, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final


@dataclass(frozen=True)
class Chapter:
    """Diagnoses that tend to occur together, and how likely different people are to have them."""

    ages: tuple[int, int, int, int, int]
    """Weights for people under 20, 40, 60, 80, and older."""
    women: int
    men: int
    lines: str
    """One diagnosis on each line, a sensitive one with an asterisk; then its drugs, most usual first."""
    workers: int = 1
    """How many times as likely for those who work with their hands."""

    @cached_property
    def drugs_of(self) -> dict[str, tuple[str, ...]]:
        """The drugs of each diagnosis."""
        pairs = (line.lstrip("*").split(":") for line in self.lines.split("\n") if line)
        return {name.strip(): tuple(d.strip() for d in drugs.split(",")) for name, drugs in pairs}

    @property
    def sensitive(self) -> list[str]:
        """The diagnoses with an asterisk."""
        lines = self.lines.split("\n")
        return [line[1:].split(":")[0].strip() for line in lines if line.startswith("*")]


CHAPTERS: Final = (
    Chapter(
        (150, 80, 60, 70, 90),
        *(10, 10),
        """\
common cold: paracetamol, nasal spray
acute bronchitis: cough syrup, amoxicillin
sore throat: throat lozenges, ibuprofen
asthma: salbutamol inhaler, steroid inhaler
hay fever: cetirizine, nasal spray
sinusitis: nasal spray, amoxicillin
tonsillitis: penicillin, ibuprofen
influenza: paracetamol, oseltamivir
pneumonia: amoxicillin, azithromycin
chronic bronchitis: steroid inhaler, tiotropium
emphysema: tiotropium, oxygen
pleurisy: ibuprofen, codeine
sleep apnoea: breathing mask
lung scarring: oxygen, prednisolone
""",
    ),
    Chapter(
        (2, 12, 70, 170, 190),
        *(9, 12),
        """\
high blood pressure: ramipril, amlodipine, hydrochlorothiazide
high cholesterol: simvastatin
coronary heart disease: aspirin, bisoprolol, simvastatin
atrial fibrillation: bisoprolol, apixaban
heart failure: furosemide, ramipril
varicose veins: compression stockings
angina: glyceryl trinitrate, aspirin
heart attack: aspirin, clopidogrel, bisoprolol
stroke: clopidogrel, simvastatin
narrowed leg arteries: aspirin
deep vein thrombosis: apixaban
low blood pressure: fludrocortisone
heart valve disease: warfarin
aortic aneurysm: bisoprolol
""",
    ),
    Chapter(
        (8, 25, 60, 110, 80),
        *(10, 10),
        """\
type 2 diabetes: metformin, insulin
overweight: diet plan
underactive thyroid: levothyroxine
gout: allopurinol, colchicine
vitamin D deficiency: vitamin D
iron deficiency: iron tablets
type 1 diabetes: insulin
overactive thyroid: carbimazole
vitamin B12 deficiency: vitamin B12
goitre: iodine tablets
diabetic nerve damage: pregabalin
diabetic eye disease: eye injection
""",
    ),
    Chapter(
        (25, 90, 130, 120, 80),
        *(10, 11),
        """\
low back pain: ibuprofen, muscle gel
neck pain: ibuprofen, heat patch
knee arthrosis: diclofenac, muscle gel
shoulder pain: diclofenac
tendinitis: muscle gel, ibuprofen
hip arthrosis: diclofenac
slipped disc: codeine, diclofenac
carpal tunnel syndrome: wrist splint
rheumatoid arthritis: methotrexate, prednisolone
osteoporosis: alendronate, vitamin D
fibromyalgia: pregabalin
tennis elbow: muscle gel
scoliosis: back brace
heel spur: shoe inserts
""",
        workers=2,
    ),
    Chapter(
        (80, 60, 40, 30, 50),
        *(9, 11),
        """\
bruise: muscle gel
sprained ankle: muscle gel, ibuprofen
open wound of the hand: wound dressing, tetanus vaccine
concussion: paracetamol
broken wrist: ibuprofen, plaster cast
burn: burn ointment
broken ankle: plaster cast, codeine
torn knee ligament: diclofenac, knee brace
broken rib: ibuprofen
foreign body in the eye: eye drops
insect bite: cetirizine
dog bite: wound dressing, amoxicillin
broken hip: enoxaparin, codeine
broken collarbone: shoulder sling
""",
        workers=2,
    ),
    Chapter(
        (40, 60, 60, 70, 80),
        *(10, 9),
        """\
gastroenteritis: electrolytes, loperamide
heartburn: omeprazole
constipation: macrogol
gastritis: omeprazole
irritable bowel: mebeverine
gallstones: diclofenac
diverticulitis: metronidazole
haemorrhoids: haemorrhoid cream
stomach ulcer: omeprazole, clarithromycin
appendicitis: metronidazole
inguinal hernia: ibuprofen
lactose intolerance: lactase
coeliac disease: diet plan
ulcerative colitis: mesalazine, prednisolone
fatty liver: diet plan
""",
    ),
    Chapter(
        (70, 50, 40, 40, 50),
        *(11, 9),
        """\
eczema: steroid cream
acne: acne gel, doxycycline
fungal skin infection: antifungal cream
psoriasis: steroid cream, methotrexate
hives: cetirizine
wart: wart remover
shingles: aciclovir
cold sore: aciclovir
cellulitis: flucloxacillin
rosacea: metronidazole gel
ingrown toenail: wound dressing
hair loss: minoxidil
head lice: lice shampoo
leg ulcer: wound dressing, compression stockings
""",
    ),
    Chapter(
        (40, 20, 40, 100, 130),
        *(10, 10),
        """\
short sight: glasses
ear infection: ear drops, amoxicillin
cataract: eye drops
conjunctivitis: eye drops
hearing loss: hearing aid
ear wax: ear drops
glaucoma: glaucoma drops
tinnitus: ginkgo
dry eyes: artificial tears
vertigo: betahistine
macular degeneration: eye injection
perforated eardrum: ear drops
detached retina: eye drops
""",
    ),
    Chapter(
        (15, 60, 60, 50, 60),
        *(12, 9),
        """\
migraine: sumatriptan, ibuprofen
tension headache: paracetamol
sciatica: pregabalin, ibuprofen
restless legs: pramipexole
fainting: electrolytes
Parkinson's disease: levodopa
*epilepsy: lamotrigine, levetiracetam
multiple sclerosis: interferon
essential tremor: propranolol
facial palsy: prednisolone, artificial tears
trigeminal neuralgia: carbamazepine
polyneuropathy: pregabalin
meningitis: ceftriaxone
""",
    ),
    Chapter(
        (20, 70, 60, 30, 30),
        *(12, 10),
        """\
insomnia: valerian, zopiclone
*depression: sertraline, mirtazapine
burnout: valerian
*anxiety disorder: sertraline, propranolol
*alcohol dependence: acamprosate, thiamine
tobacco dependence: nicotine patch
grief reaction: valerian
*bipolar disorder: lithium, quetiapine
attention deficit disorder: methylphenidate
*schizophrenia: olanzapine, risperidone
*eating disorder: fluoxetine, diet plan
*opioid dependence: methadone
*cannabis dependence: valerian
*personality disorder: quetiapine
*suicide attempt: mirtazapine
""",
    ),
    Chapter(
        (12, 150, 40, 12, 8),
        *(10, 0),
        """\
normal pregnancy: folic acid, iron tablets
painful periods: ibuprofen, contraceptive pill
vaginal thrush: clotrimazole
menopausal symptoms: oestrogen
ovarian cyst: contraceptive pill
heavy periods: tranexamic acid, iron tablets
endometriosis: dienogest
infertility: clomifene
high blood pressure in pregnancy: methyldopa
*miscarriage: misoprostol
breast lump: ibuprofen
pregnancy sickness: doxylamine
*induced abortion: mifepristone, misoprostol
womb prolapse: oestrogen
fibroids: tranexamic acid
""",
    ),
    Chapter(
        (6, 20, 50, 110, 120),
        *(10, 10),
        """\
urinary tract infection: nitrofurantoin
kidney stone: diclofenac, tamsulosin
overactive bladder: solifenacin
*urinary incontinence: solifenacin, incontinence pads
chronic kidney disease: ramipril, furosemide
kidney infection: ciprofloxacin
interstitial cystitis: amitriptyline
kidney cyst: paracetamol
nephritis: prednisolone
kidney failure: dialysis, erythropoietin
blood in the urine: nitrofurantoin
""",
    ),
    Chapter(
        (5, 8, 25, 80, 60),
        *(0, 10),
        """\
enlarged prostate: tamsulosin, finasteride
*erectile dysfunction: sildenafil
prostatitis: ciprofloxacin
prostate cancer: bicalutamide, leuprorelin
tight foreskin: steroid cream
testicular torsion: codeine
""",
    ),
    Chapter(
        (2, 8, 25, 60, 50),
        *(10, 10),
        """\
skin cancer: imiquimod
breast cancer: tamoxifen, paclitaxel
bowel cancer: capecitabine, oxaliplatin
lung cancer: cisplatin, morphine
anaemia of chronic disease: erythropoietin
lymphoma: rituximab, prednisolone
bladder cancer: gemcitabine
leukaemia: imatinib
melanoma: pembrolizumab
kidney cancer: sunitinib
pancreatic cancer: gemcitabine, morphine
""",
    ),
    Chapter(
        (8, 30, 15, 6, 4),
        *(9, 11),
        """\
*chlamydia infection: doxycycline
glandular fever: paracetamol
tick-borne disease: doxycycline
*genital herpes: aciclovir
*hepatitis C: sofosbuvir
*HIV infection: tenofovir, dolutegravir
whooping cough: azithromycin
*gonorrhoea: ceftriaxone
hepatitis A: paracetamol
tuberculosis: isoniazid, rifampicin
*syphilis: penicillin
malaria: artemether
""",
    ),
    Chapter(
        (0, 0, 2, 40, 160),
        *(11, 9),
        """\
unsteady gait: walking frame
frailty: protein drink
*dementia: donepezil, risperidone
pressure sore: wound dressing
delirium: haloperidol
dehydration: electrolytes
swallowing disorder: thickener
""",
    ),
)
