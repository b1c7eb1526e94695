"""Stop words by language: articles, pronouns, auxiliary and question words."""

from collections.abc import Sequence

STOP_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "a about above after again against all also am an and any are aren as at be because been before being"
        " below between both but by can cannot could couldn did didn do does doesn doing don down during each"
        " either ever every few for from further had hadn has hasn have haven having he her here hers herself him"
        " himself his how however i if in into is isn it its itself just ll many may me might more most much must"
        " my myself neither no nor not now of off on once only or other our ours ourselves out over own per please"
        " re s same shall she should shouldn so some such t than that the their theirs them themselves then there"
        " these they this those through thus to too under until up upon us ve very was wasn we were weren what when"
        " where whether which while who whom whose why will with within without won would wouldn yet you your yours"
        " yourself tell",
        "fr": "a afin ai ainsi alors apres as au aucun aussi autre autres aux avant avec avez avoir avons c ca car ce"
        " cela celle celles celui cependant ces cet cette ceux chaque chez ci combien comme comment d dans de"
        " depuis des doit doivent donc dont du elle elles en encore entre es est et etaient etait etant ete etes"
        " etre eu eux faire fait faut font il ils j je jusqu l la laquelle le lequel les lesquels leur leurs lors"
        " lorsque lui m ma mais me meme memes mes moi moins mon n ne ni nos notre nous on ont ou par parce pas"
        " pendant peu peut peuvent plus pour pourquoi puis qu quand que quel quelle quelles quels quelque quelques"
        " qui quoi s sa sans se selon sera ses si soit son sont sous sur t ta te tel telle tes toi ton tous tout"
        " toute toutes tres tu un une vers vos votre vous y",
        "de": "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist"
        " da damit dann das dass dein deine dem den denn der des die dies diese diesem diesen dieser dieses doch"
        " dort du durch ein eine einem einen einer eines er es etwas euch fur gegen habe haben hat hatte hier hin"
        " hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder jedes kann kein"
        " keine keinen keiner konnen man mein meine mich mir mit muss mussen nach nicht noch nun nur ob oder ohne"
        " sehr sein seine sich sie sind so soll sollen sollte sondern um und uns unser unter vom von vor wann warum"
        " was weil welche welcher welches wenn wer werde werden wie wieder wieviel will wir wird wo zu zum zur"
        " zwischen uber",
        "es": "a al algo algunas algunos ante antes aunque como con contra cual cuales cuando cuanto cuanta cuantos"
        " cuantas de debe deben del desde donde durante e el ella ellas ellos en entre era eran es esa esas ese eso"
        " esos esta estaba estan estar estas este esto estos fue fueron ha haber hace hacer hacia han hasta hay la"
        " las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otras otro otros para pero"
        " poco por porque puede pueden que quien quienes se sea segun ser si sido sin sobre son su sus tambien tan"
        " tanto te tiene tienen todo todos tu tus un una unas uno unos usted ustedes y ya yo",
        "it": "a ad agli ai al alla alle allo anche avere aveva c che chi ci cio coi col come con contro cosa cui da"
        " dagli dai dal dalla dalle dallo degli dei del dell della delle dello deve devono di dopo dove e ed era"
        " erano essere fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio ne"
        " negli nei nel nella nelle nello noi non nostra nostri nostro o ogni per perche piu puo possono prima qual"
        " quale quali quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo"
        " qui se sei si sia sono su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tue tuo tuoi tutti tutto"
        " un una uno vi voi",
        "pt": "a ao aos apos as ate com como da das de dela dele delas deles depois desde deve devem do dos e ela elas"
        " ele eles em entre era eram essa essas esse esses esta estao estar estas este estes eu fazer foi foram ha"
        " isso isto ja lhe lhes mais mas me mesmo meu meus minha minhas muito na nas nao nem no nos nossa nossas"
        " nosso nossos num numa o onde os ou para pela pelas pelo pelos pode podem por porque qual quais quando"
        " quanta quantas quanto quantos que quem se sem ser seu seus sido sao so sob sobre sua suas tambem te tem"
        " tendo ter teu teus tinha tu tua tuas tudo um uma umas uns voce voces",
        "nl": "aan al alle als bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had heb hebben"
        " heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je jij kan kon kunnen maar me meer men met"
        " mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook op over te tegen toch toen tot u"
        " uit uw van veel voor waarom want waren was wat we wel welk welke werd wezen wie wil worden wordt zal ze"
        " zelf zich zij zijn zo zonder zou",
    }.items()
}
"""In the form of the full-text index: lower case, without accents."""

QUANTITY_WORDS = frozenset(
    word
    for words in (
        *("many much long often far old dose dosage", "combien", "wieviel viel", "cuanto cuanta cuantos cuantas"),
        *("quanto quanta quanti quante", "quantos quantas", "hoeveel"),
    )
    for word in words.split()
)
"""Words of questions that ask for a number."""


def question_languages(words: Sequence[str], languages: Sequence[str]) -> tuple[str, ...]:
    """Return which languages of an archive a question may be written in: those with most of its stop words."""
    counts = {language: sum(word in STOP_WORDS.get(language, ()) for word in words) for language in languages}
    most = max(counts.values(), default=0)
    return tuple(language for language, count in counts.items() if count == most)


def stop_words_in(words: Sequence[str], languages: Sequence[str]) -> frozenset[str]:
    """Return the stop words of a question; empty when it has no other words."""
    known = languages or ("en",)
    found = frozenset(word for language in known for word in words if word in STOP_WORDS.get(language, ()))
    return frozenset() if found.issuperset(words) else found
