"""The words in the pictures, and the alternative texts. No straight quotes: they are put in an HTML attribute."""

WORDS = {
    "nl": {
        "split": {
            "x": "x: 2 tokens met elk 4 kenmerken",
            "time": "tijdstap {t}",
            "head": "head {head}",
            "first_half": "head 0",
            "second_half": "head 1",
            "right": "Goed",
            "right_steps": "eerst knippen: (B, T, H, d)\ndan wisselen: (B, H, T, d)",
            "wrong": "Fout",
            "wrong_steps": "rechtstreeks reshapen\nnaar (B, H, T, d)",
            "alt": "De acht getallen van x: token 0 heeft 0, 1, 2, 3 en token 1 heeft 4, 5, 6, 7. Links, goed: eerst "
                   "knippen en dan tijd en heads wisselen. Head 0 krijgt op tijdstap 0 de getallen 0 en 1 en op "
                   "tijdstap 1 de getallen 4 en 5; head 1 krijgt 2 en 3, en 6 en 7. Rechts, fout: rechtstreeks "
                   "reshapen. Head 0 krijgt dan 0, 1, 2 en 3, het hele token 0, uitgesmeerd over twee tijdstappen; "
                   "head 1 krijgt het hele token 1.",
        },
        "merge": {
            "head": "head {head}",
            "time": "tijdstap {t}",
            "right": "Goed",
            "right_steps": "eerst wisselen: (B, T, H, d)\ndan plakken: (B, T, C)",
            "right_says": "weer de rijen van x",
            "wrong": "Fout",
            "wrong_steps": "rechtstreeks reshapen\nnaar (B, T, C)",
            "wrong_says": "tokens door elkaar",
            "alt": "Head 0 heeft op tijdstap 0 de getallen 0 en 1 en op tijdstap 1 de getallen 4 en 5; head 1 heeft 2 "
                   "en 3, en 6 en 7. Links, goed: eerst heads en tijd terugwisselen en dan plakken. Tijdstap 0 krijgt "
                   "0, 1, 2, 3 en tijdstap 1 krijgt 4, 5, 6, 7: weer de rijen van x. Rechts, fout: rechtstreeks "
                   "reshapen. Tijdstap 0 krijgt dan 0, 1, 4, 5 en tijdstap 1 krijgt 2, 3, 6, 7: de tokens staan door "
                   "elkaar.",
        },
        "multihead": {
            "split": "split_heads",
            "head": "head {head}\nattention met\nQ, K en V van head {head}",
            "merge": "merge_heads",
            "alt": "De weg van X naar Y, van boven naar beneden. X met vorm B, T, C gaat naar drie projecties: WQ, WK "
                   "en WV. Dat geeft Q, K en V, elk B, T, C. split_heads maakt er B, H, T, d van. Head 0 en head 1 "
                   "doen los van elkaar attention met hun eigen deel van Q, K en V. merge_heads voegt de uitkomsten "
                   "samen tot J, met vorm B, T, C. De projectie WO maakt daar Y van, weer B, T, C.",
        },
        "one_key": {
            "one": "Eén key",
            "one_says": "altijd 1, welke score ook:\ngeen helling, geen gradiënt",
            "two": "Twee keys",
            "two_says": "de score doet ertoe:\nwel een helling",
            "score": "score van de key",
            "weight": "gewicht van de key",
            "alt": "Twee grafieken van het gewicht van een key tegen zijn score. Links is er één key: het gewicht is "
                   "altijd 1, een vlakke lijn zonder helling, dus zonder gradiënt. Rechts zijn er twee keys, en heeft "
                   "de andere score 0: het gewicht loopt als een S van 0 naar 1, dus de score doet ertoe.",
        },
        "backward": {
            "attention": "split_heads, attention_backward, merge_heads",
            "sum": "de drie routes opgeteld, niet gemiddeld",
            "alt": "De weg terug van dY naar dX, van boven naar beneden. dY gaat door WO getransponeerd en wordt dJ. "
                   "Via split_heads, attention_backward en merge_heads ontstaan dQ, dK en dV. Elk gaat door zijn "
                   "eigen getransponeerde matrix. De route via Q draagt 0.4055 bij, die via K ook 0.4055 en die via V "
                   "6.2509. Opgeteld is dX op plaats 0, 0, 0 gelijk aan 7.0619.",
        },
        "one_number": {
            "title": "Eén getal van WQ, gebruikt door beide tokens",
            "loss": "loss",
            "forth": "heen: WQ[1, 0] wordt ε groter",
            "back": "terug: per ε",
            "alt": "WQ op plaats 1, 0 wordt een klein stukje epsilon groter. Token 0 heeft daar het getal 2 en maakt Q "
                   "op 0, 0 twee epsilon groter; token 1 heeft het getal 1 en maakt Q op 1, 0 één epsilon groter. Van "
                   "de loss komen 0.4055 en 0.9384 terug. De gradiënt is de som 2 maal 0.4055 plus 1 maal 0.9384, dus "
                   "1.7494.",
        },
        "own_test": {
            "right": "goed",
            "other": "ook goed,\nanders geschreven",
            "wrong": "fout",
            "accepted": "er gebeurt niets",
            "refused": "AssertionError",
            "alt": "Drie uitwerkingen gaan de test own_test in. Bij een goede uitwerking gebeurt er niets, ook als "
                   "die anders is geschreven. Bij een foute uitwerking komt er een AssertionError.",
        },
    },
    "en": {
        "split": {
            "x": "x: 2 tokens with 4 features each",
            "time": "time step {t}",
            "head": "head {head}",
            "first_half": "head 0",
            "second_half": "head 1",
            "right": "Right",
            "right_steps": "first cut: (B, T, H, d)\nthen swap: (B, H, T, d)",
            "wrong": "Wrong",
            "wrong_steps": "reshape directly\nto (B, H, T, d)",
            "alt": "The eight numbers of x: token 0 has 0, 1, 2, 3 and token 1 has 4, 5, 6, 7. On the left, right: "
                   "first cut, then swap time and heads. Head 0 gets the numbers 0 and 1 at time step 0, and 4 and 5 "
                   "at time step 1; head 1 gets 2 and 3, and 6 and 7. On the right, wrong: reshape directly. Head 0 "
                   "then gets 0, 1, 2 and 3, the whole of token 0, smeared over two time steps; head 1 gets the whole "
                   "of token 1.",
        },
        "merge": {
            "head": "head {head}",
            "time": "time step {t}",
            "right": "Right",
            "right_steps": "first swap: (B, T, H, d)\nthen join: (B, T, C)",
            "right_says": "the rows of x again",
            "wrong": "Wrong",
            "wrong_steps": "reshape directly\nto (B, T, C)",
            "wrong_says": "tokens mixed up",
            "alt": "Head 0 has the numbers 0 and 1 at time step 0, and 4 and 5 at time step 1; head 1 has 2 and 3, "
                   "and 6 and 7. On the left, right: first swap heads and time back, then join. Time step 0 gets 0, "
                   "1, 2, 3 and time step 1 gets 4, 5, 6, 7: the rows of x again. On the right, wrong: reshape "
                   "directly. Time step 0 then gets 0, 1, 4, 5 and time step 1 gets 2, 3, 6, 7: the tokens are mixed "
                   "up.",
        },
        "multihead": {
            "split": "split_heads",
            "head": "head {head}\nattention with\nQ, K and V of head {head}",
            "merge": "merge_heads",
            "alt": "The way from X to Y, from top to bottom. X with shape B, T, C goes to three projections: WQ, WK "
                   "and WV. That gives Q, K and V, each B, T, C. split_heads turns them into B, H, T, d. Head 0 and "
                   "head 1 each do attention on their own part of Q, K and V. merge_heads joins the results to J, "
                   "with shape B, T, C. The projection WO turns that into Y, again B, T, C.",
        },
        "one_key": {
            "one": "One key",
            "one_says": "always 1, whatever the score:\nno slope, no gradient",
            "two": "Two keys",
            "two_says": "the score matters:\nthere is a slope",
            "score": "score of the key",
            "weight": "weight of the key",
            "alt": "Two graphs of the weight of a key against its score. On the left there is one key: the weight is "
                   "always 1, a flat line without slope, so without gradient. On the right there are two keys, and "
                   "the other one has score 0: the weight runs like an S from 0 to 1, so the score matters.",
        },
        "backward": {
            "attention": "split_heads, attention_backward, merge_heads",
            "sum": "the three routes added, not averaged",
            "alt": "The way back from dY to dX, from top to bottom. dY goes through WO transposed and becomes dJ. "
                   "split_heads, attention_backward and merge_heads give dQ, dK and dV. Each goes through its own "
                   "transposed matrix. The route through Q brings 0.4055, the one through K also 0.4055 and the one "
                   "through V 6.2509. Added up, dX at place 0, 0, 0 equals 7.0619.",
        },
        "one_number": {
            "title": "One number of WQ, used by both tokens",
            "loss": "loss",
            "forth": "forth: WQ[1, 0] grows by ε",
            "back": "back: per ε",
            "alt": "WQ at place 1, 0 grows by a small epsilon. Token 0 has feature value 2 there and makes Q at 0, 0 "
                   "grow by two epsilon; token 1 has value 1 and makes Q at 1, 0 grow by one epsilon. From the loss "
                   "0.4055 and 0.9384 come back. The gradient is the sum 2 times 0.4055 plus 1 times 0.9384, so "
                   "1.7494.",
        },
        "own_test": {
            "right": "right",
            "other": "right too,\nwritten differently",
            "wrong": "wrong",
            "accepted": "nothing happens",
            "refused": "AssertionError",
            "alt": "Three implementations go into the test own_test. With a right one nothing happens, also if it is "
                   "written differently. With a wrong one there is an AssertionError.",
        },
    },
}
