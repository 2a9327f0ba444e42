"""What tells other languages in Latin script from English."""

from __future__ import annotations

# Words that are common in one Latin-script language and rare in English text.
FOREIGN = frozenset(
    """
    bonjour merci vous nous est pas une les des dans avec que qui quoi comment pouvez peux puis der das und ist
    nicht ich sie wir ein eine bitte wie kann mit auf danke guten el los las una para por cómo puedo puedes gracias
    hola esta esto qué porque você não uma obrigado olá são posso fazer isso della che non sono come grazie ciao
    perché het een niet van ik jij kunt hoe dit bedankt det inte och jag hur nie jest jak czy proszę
    """.split()
)
# Words of English that are rare elsewhere: beside them a marked letter is a loanword's (naïve, résumé) or a name's.
ENGLISH = frozenset(
    "the you your my are what how and of to for with this that can does need needs has have from please explain write would "
    "should could why when where here there it its new at be which who they we our some about".split()
)
MARKED = "àâãçèéêëîïñôõùûœäöüßáíóúıışğąćęłńśźżčřšžěůőű¿¡"
