"""Vergissingen die de voorbeelden herkennen, en hoeveel voorbeelden elk deel heeft.

Je hoeft dit bestand niet te lezen of te wijzigen.
"""
import numpy as np

#: deel van het notebook -> hoeveel voorbeelden het heeft
PARTS = {"split_heads": 2, "merge_heads": 2, "multihead": 2, "multihead_backward": 3, "own_test": 1}


def split_slips(x, head, expected):
    """Bij de acht getallen: x (1, 2, 4), en wat er in deze head hoort te staan."""
    return [("In deze head staat één heel token. Dat gebeurt als je rechtstreeks naar (B, H, T, d) reshapet,\n"
             "of als je na het knippen vergeet tijd en heads om te wisselen.", x.reshape(1, 2, 2, 2)[0, head]),
            ("Deze head krijgt om en om een kenmerk. Een head hoort kenmerken te krijgen die naast elkaar liggen.",
             x[0, :, head::2]),
            ("Tijd en kenmerken staan verwisseld: hier is elke rij een kenmerk.", np.transpose(expected)),
            ("Dit hoort in de andere head te staan. Begint head 0 bij kenmerk 0?", np.add(expected, 2 - 4 * head))]


MERGE_SLIPS = [
    ("In elke rij staat nu één head. Staan H en d naast elkaar op het moment dat je ze samenvoegt?",
     [[[0, 1, 4, 5], [2, 3, 6, 7]]]),
    ("De kenmerken van de heads liggen nu om en om. Eerst hoort heel head 0 te komen, dan heel head 1.",
     [[[0, 2, 1, 3], [4, 6, 5, 7]]]),
]
JOINED_SLIPS = [
    ("Dit is Y. In joined hoort J te staan, de heads samen, nog zonder WO.", [[[2, 6]]]),
    ("Dit is X·WK of X·WQ. Welke projectie geeft door wat een token te zeggen heeft?", [[[1, 2]]]),
]
OUTPUT_SLIPS = [
    ("Dit is J. De laatste stap ontbreekt nog: J·WO.", [[[2, 4]]]),
    ("Dit is J·WOᵀ. Hoort die .T er wel bij?", [[[6, 4]]]),
    ("Hier is x bij y opgeteld. De residualverbinding komt pas in de volgende module.", [[[3, 8]]]),
]


def mixing_slips(tokens):
    """Bij de drie kaartjes: de kenmerken (T, d) van één head, met de identiteit als projectie; voor token 2."""
    return [("Dit krijg je als je de scores niet deelt. Deel door √d, de wortel van de breedte van een head.",
             _mixed(tokens, 1)),
            ("Dit krijg je als je de scores deelt door √C. Een head is maar d breed: deel door √d.",
             _mixed(tokens, np.sqrt(8))),
            ("Dit krijg je als je twee keer door √d deelt. Wat doet attention zelf al?",
             _mixed(tokens, tokens.shape[1])),
            ("Token 2 ziet nu alleen zichzelf. Rij i van het masker hoort bij query i, kolom j bij key j.",
             tokens[-1]),
            ("Dit is het gewone gemiddelde van de drie tokens. Doen de scores wel mee?", tokens.mean(axis=0))]


def _mixed(tokens, divisor):
    """Het laatste token, gemengd met scores die door dit getal zijn gedeeld."""
    part = np.exp(tokens @ tokens[-1] / divisor)
    return part @ tokens / part.sum()


def gradient_slips(expected):
    return [("Rijen en kolommen staan verwisseld. De rij hoort bij wat de matrix in gaat, de kolom bij wat eruit komt.",
             np.transpose(expected)),
            ("Dit is outer(X, dY). Welke stap ligt er tussen dY en deze gradiënt?", [[3, 5], [6, 10]])]


INPUT_SLIPS = [
    ("Dit is dV. De stap terug door WV ontbreekt nog.", [[[8, 5]]]),
    ("Er is niets over. Langs welke route komt de invloed van x bij één key terug?", [[[0, 0]]]),
    ("Dit is dX + dY. Maar multihead telt x niet bij y op.", [[[19, 15]]]),
]


def route_slips(expected):
    return [("Kloppen de voorbeelden met één token al? Begin anders daar.\n"
             "Dit is de helft. Neem je ergens een gemiddelde over de twee tijdstappen in plaats van een som?",
             expected / 2),
            ("Dat is √2 keer te weinig. Welke functie deelt al door √d?", expected / 2 ** 0.5),
            ("Dat is √2 keer zoveel. Deel ook op de weg terug door √d, en maar één keer.", expected * 2 ** 0.5)]


SUM_SLIPS = [
    ("Alleen de route via V is over. Tel je de routes op, of overschrijft de ene de andere?", 6.2509),
    ("Alleen de route via Q of K is over. Tel je de routes op, of overschrijft de ene de andere?", 0.4055),
    ("De route via Q of die via K ontbreekt.", 6.6564),
    ("De route via V ontbreekt.", 0.8110),
    ("Je hebt de routes gemiddeld. Tel ze op.", 2.3540),
]
