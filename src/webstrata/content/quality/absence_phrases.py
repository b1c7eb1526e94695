"""Phrases of pages that report an absence or a failure: not found, server error, maintenance.

See `content/quality/phrases.py`.
"""

from webstrata.content.quality.phrase_rows import PhraseRow, any_of
from webstrata.model.quality import QualityKind

_ERROR, _SOFT_404, _MAINTENANCE = QualityKind.ERROR, QualityKind.SOFT_404, QualityKind.MAINTENANCE

_THING = (
    r"(?:page|web ?page|url|file|document|content|article|product|item|listing|posting|job|vacancy|position|event|story"
    r"|link|resource|offer|ad|advert|auction|property|video|post|topic|profile|entry|record|recipe|course|project|address)"
)
_MISSING = any_of(
    r"not found|(?:nothing|no page) (?:was )?found(?: here)?",
    (
        rf"(?:the |this |that |your |requested )*{_THING}s?(?: .{{0,50}})?(?: |n't )(?:not |no longer |be |been |"
        r"can't |cannot |couldn't |could not )+(?:be )?(?:found|exists?|available|located)"
    ),
    (
        rf"(?:the |this |that |requested )*{_THING} (?:.{{0,20}} )?(?:doesn't exist|does not exist|"
        r"can't be found|missing|expired|removed|deleted|is gone|unavailable)"
    ),
    r"we (?:can't|couldn't|could not|cannot) (?:seem to )?find .{0,60}|gone|file or directory not found",
    (
        r"(?:page|contenu|article|document|fichier|ressource|annonce|offre|produit|fiche)s? (?:demandee? |"
        r"recherchee? )?(?:est )?(?:introuvable|non trouvee?|inexistante?|indisponible|pas trouvee?|expiree?|"
        r"supprimee?)"
    ),
    r"(?:cette|la) page (?:est introuvable|n'existe (?:pas|plus)|n'a pas ete trouvee)|introuvable",
    (
        r"(?:die |diese )?(?:gewunschte |angeforderte |gesuchte )?(?:seite|artikel|inhalt|dokument|datei|"
        r"produkt)(?: .{0,30})? (?:nicht (?:gefunden|verfugbar|vorhanden)|existiert nicht(?: mehr)?|"
        r"nicht mehr .{0,15})"
    ),
    r"nicht gefunden",
    (
        r"(?:la )?(?:pagina|articulo|contenido|producto) (?:solicitada )?(?:no (?:se )?(?:encontrad[oa]|"
        r"existe|disponible|encontro|ha sido encontrada)|inexistente)"
    ),
    r"no (?:encontrad[oa]|se (?:encontro|ha encontrado|encuentra|pudo encontrar) (?:la )?pagina.{0,30})",
    (
        r"(?:la )?(?:pagina|contenuto|articolo|prodotto|risorsa)(?: .{0,20})? non (?:trovat[oa]|disponibile|"
        r"esiste|e stata trovata)"
    ),
    r"pagina inesistente|non trovat[oa]",
    (
        r"(?:a )?(?:pagina|conteudo|artigo|produto)(?: .{0,20})? nao (?:encontrad[oa]|existe|disponivel|"
        r"foi encontrad[oa])"
    ),
    r"nao encontrad[oa]",
    (
        r"(?:de |deze )?(?:pagina|artikel|inhoud|product|vacature)(?: .{0,20})? (?:niet (?:gevonden|"
        r"beschikbaar|meer beschikbaar)|bestaat niet(?: meer)?)"
    ),
    r"niet gevonden|(?:nie znaleziono|brak) strony|strona nie (?:istnieje|zostala znaleziona)",
    r"sidan (?:kunde inte hittas|hittades inte|finns inte)",
    r"siden (?:blev ikke fundet|findes ikke|ble ikke funnet|finnes ikke)|sivua ei loydy",
    r"stranka (?:nenalezena|nebyla nalezena)|sayfa bulunamadi|страница не (?:найдена|существует)",
    r".{0,20}ページが(?:見つかりません|存在しません).{0,10}",
    r".{0,10}(?:页面不存在|找不到页面|找不到網頁).{0,10}|.{0,10}페이지를 찾을 수 없습니다",
)
_CODE_WORDS = r"(?:http|error|erreur|fehler|errore|erro|fout|status|code|fehlercode|page|pagina|seite|html)"

TITLES: tuple[PhraseRow, ...] = (
    (
        _SOFT_404,
        1.0,
        (
            rf"(?:{_CODE_WORDS}[ :#-]*)*4(?:04|10)(?:[ :.,!()-]*(?:{_CODE_WORDS}|{_MISSING}))+",
            rf"(?:{_CODE_WORDS}[ :#-]*)+4(?:04|10)",
        ),
    ),
    (_SOFT_404, 1.0, (_MISSING,)),
    (_SOFT_404, 0.75, (r"4(?:04|10)|page (?:error|expired)|dead link|broken link",)),
    (
        _ERROR,
        1.0,
        (
            (
                r"(?:(?:http|error|status|code|server)[ :#-]*)*(?:400|5\d\d)(?:[ :.,-]*(?:error|bad request|"
                r"internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|"
                r"server error))*"
            ),
            r"(?:http )?(?:internal )?server error(?: in .{1,40})?|bad (?:gateway|request)|gateway time-?out",
            r"(?:application|runtime|fatal|system|unexpected|site|database|connection|unknown) error",
            r"error establishing a database connection|whitelabel error page",
            r"(?:an )?(?:unexpected |internal |unknown |application )?error (?:has )?occurred|something went wrong",
            r"technical (?:difficulties|problems?|error)|this site can't be reached|no such app",
            r"nosuch(?:key|bucket)|erreur (?:interne(?: du serveur)?|serveur|technique)",
            r"une erreur .{0,30}(?:survenue|produite)|interner serverfehler|serverfehler",
            r"ein fehler ist aufgetreten|error interno(?: del servidor)?|(?:ha ocurrido|se ha producido) un error",
            r"errore (?:interno(?: del server)?|del server)|si e verificato un errore",
            r"erro interno(?: do servidor)?|ocorreu um erro|interne serverfout",
            r"er is (?:iets misgegaan|een fout opgetreden)|page load error|problem loading page",
        ),
    ),
    (_ERROR, 0.75, (r"error|erreur|fehler|errore|erro|fout|error page|service unavailable|exception",)),
    (
        _MAINTENANCE,
        1.25,
        (
            (
                r"(?:(?:the|our|site|website|web|scheduled|planned|temporary|system|server|under|down|for|in|we|are|"
                r"we're|is|currently|undergoing) )*maintenance(?: mode| page| in progress| notice| underway)?"
            ),
            r"we'll be (?:right )?back(?: soon| shortly| later)?|be right back|back soon",
            r"we(?:'re| are) (?:temporarily )?(?:offline|down)",
            (
                r"(?:site |website |service |page |this site is |the site is )?temporarily (?:unavailable|offline|"
                r"closed|down)"
            ),
            r"(?:site|website) (?:is )?(?:offline|down)(?: .{0,20})?",
            r"(?:site |page |notre site est )?en maintenance|maintenance en cours|site en travaux",
            r"wartung(?:sarbeiten|smodus|sseite)?|(?:website |seite )?(?:im|in) wartung.{0,10}",
            r"(?:sitio |pagina |web )?en mantenimiento|mantenimiento|(?:sito )?in manutenzione|manutenzione",
            r"(?:site |em )*manutencao|(?:site |website )?in onderhoud|(?:gepland )?onderhoud(?:smodus)?",
        ),
    ),
)

SENTENCES: tuple[PhraseRow, ...] = (
    (
        _SOFT_404,
        1.5,
        (
            (
                rf"\b{_THING}s?(?: that| which)? (?:you|you're|you've|your)\b[^.!?\n]{{0,60}}\b(?:look|request|try|tri|"
                r"follow|search|enter|want|access|view|visit|seek|reach|click)\w*[^!?\n]{0,80}(?:\bnot\b|n't\b|"
                r"no longer|\bmoved\b|removed|\bgone\b|deleted|unavailable|renamed|expired|missing|\bcannot\b)"
            ),
        ),
    ),
    (
        _SOFT_404,
        1.25,
        (
            (
                r"(?:can ?not|can't|could not|couldn't|unable to)(?: seem to)? (?:find|locate) (?:the|that|this|your|"
                r"what|a)\b[^.!?\n]{0,30}?\b(?:page|looking for|you requested|url)\b"
            ),
        ),
    ),
    (
        _SOFT_404,
        1.5,
        (
            (
                rf"\brequested {_THING}\b[^\n]{{0,100}}(?:not found|not be found|not exist|n't exist|not available|"
                r"n't be found|no longer)"
            ),
        ),
    ),
    (
        _SOFT_404,
        1.0,
        (
            (
                rf"\bthis {_THING}(?: posting| listing| page| ad)? (?:is|has|was|does|may|could|can|doesn't|isn't|"
                r"can't|no)\b[^.!?\n]{0,25}(?:longer (?:available|active|exists?|listed|accepting|online)|removed|"
                r"deleted|expired|been filled|exist\b|not (?:be )?(?:available|found)|n't (?:be )?(?:available|found)|"
                r"unavailable)"
            ),
        ),
    ),
    (
        _SOFT_404,
        1.0,
        (
            (
                rf"(?:sorry|oops|uh[- ]?oh|whoops|unfortunately)\b[^\n]{{0,50}}\b{_THING}\b[^.\n]{{0,40}}"
                r"(?:\bnot\b|n't\b|no longer|removed|moved|unavailable|expired)"
            ),
        ),
    ),
    (
        _SOFT_404,
        1.25,
        (
            rf"\b{_THING} (?:was |is |could |can )?(?:not|n't) (?:be )?found\b|that page can't be found",
            r"\bno longer (?:exists|available) (?:on|at) (?:this|our)",
        ),
    ),
    (
        _SOFT_404,
        0.5,
        (
            r"mistyped|broken link|(?:check|verify)[^.\n]{0,25}(?:url|address|spelling)",
            r"(?:return|go|back|take me)(?: back)? to (?:the |our )?home ?page|out[- ]of[- ]date (?:bookmark|link)",
            r"(?:retour|revenir) a (?:la page d')?l?'?accueil|zur startseite",
            r"volver a(?:l| la)? (?:inicio|pagina principal|portada)|torna alla home",
            r"voltar (?:para|a) (?:a )?(?:pagina inicial|home)|terug naar (?:de )?home",
        ),
    ),
    (
        _SOFT_404,
        1.5,
        (
            (
                r"\bpage (?:que vous|demandee|recherchee|a laquelle)[^.!?\n]{0,80}(?:n'existe|introuvable|"
                r"n'est (?:plus|pas)|n'a pas|deplacee|supprimee|indisponible|pas ete)"
            ),
            (
                r"\b(?:gewunschte|angeforderte|gesuchte|aufgerufene|angegebene|von ihnen \w+)\w* (?:seite|adresse|url|"
                r"dokument|inhalt|datei)\b[^.!?\n]{0,80}(?:nicht|existiert|entfernt|verschoben|geloscht)"
            ),
            r"\bseite[^.!?\n]{0,10} die sie[^.!?\n]{0,50}(?:nicht|existiert|entfernt|verschoben)",
            (
                r"\bpagina (?:que|solicitada|buscada)\b[^.!?\n]{0,60}(?:\bno\b|eliminad|movid|nao|removid|excluid|"
                r"indisponi)"
            ),
            r"\bpagina (?:che|richiesta|cercata)\b[^.!?\n]{0,60}(?:\bnon\b|spostata|rimossa|eliminata|inesistente)",
            r"\bpagina (?:procurada|requisitada)[^.!?\n]{0,60}(?:nao|removid)",
            r"\bpagina (?:die|waar)[^.!?\n]{0,60}(?:niet|verwijderd|verplaatst|bestaat)",
            r"(?:opgevraagde|gevraagde|gezochte) pagina[^.!?\n]{0,60}(?:niet|verwijderd|bestaat)",
            r"お探しのページ|页面不存在",
            r"您(?:访问|查找|訪問)的(?:页面|網頁|内容)|запрашиваем\w+ страниц|страниц\w+,? котор\w+ вы",
        ),
    ),
    (
        _SOFT_404,
        1.0,
        (
            (
                r"\b(?:cette|cet|ce|la|le|l')\s?(?:page|annonce|offre|article|produit|contenu|document|emploi|"
                r"evenement|fiche|lien)\b[^.!?\n]{0,30}(?:n'existe|n'est (?:plus|pas) (?:disponible|accessible|"
                r"en ligne|valide)|a ete (?:supprim|retir|depl)|a expire|est (?:expire|introuvable)|introuvable)"
            ),
            (
                r"\b(?:diese[rs]?|die|der|das) (?:seite|artikel|angebot|stelle|anzeige|produkt|inhalt|stellenanzeige|"
                r"stellenangebot|veranstaltung|inserat|beitrag)\b[^.!?\n]{0,40}(?:existiert (?:leider )?nicht|"
                r"gibt es (?:leider )?nicht|nicht (?:mehr )?(?:verfugbar|vorhanden|aktiv|online|gefunden|erreichbar)|"
                r"wurde (?:entfernt|geloscht|verschoben|nicht)|abgelaufen)"
            ),
            (
                r"\b(?:esta|este|el|la) (?:pagina|articulo|producto|oferta|anuncio|contenido|enlace|empleo|documento|"
                r"evento)\b[^.!?\n]{0,30}(?:no existe|ya no (?:esta|existe|se)|no (?:esta|se encuentra) disponible|"
                r"ha (?:sido eliminad|expirad|caducad)|no (?:se )?(?:ha |ha sido |fue |pudo )?encontr)"
            ),
            (
                r"\b(?:questa|questo|la|il|l')\s?(?:pagina|articolo|prodotto|offerta|annuncio|contenuto|documento|"
                r"evento)\b[^.!?\n]{0,30}(?:non esiste|non e (?:piu )?(?:disponibile|presente|attiv)|"
                r"e stat[oa] (?:rimoss|eliminat|spostat)|e scadut|non (?:e stat[oa] )?trovat)"
            ),
            (
                r"\b(?:esta|este|a|o|essa|esse) (?:pagina|artigo|produto|oferta|anuncio|conteudo|vaga|documento|link|"
                r"evento)\b[^.!?\n]{0,30}(?:nao existe|nao esta (?:mais )?disponivel|ja nao|nao (?:foi )?encontrad|"
                r"foi (?:removid|excluid|movid)|expirou)"
            ),
            (
                r"\b(?:deze|dit|de|het) (?:pagina|artikel|product|aanbieding|advertentie|vacature|inhoud|link|"
                r"evenement)\b[^.!?\n]{0,30}(?:bestaat niet|niet (?:meer )?(?:beschikbaar|gevonden|actief|bestaat)|"
                r"is (?:verwijderd|verlopen|verplaatst)|(?:kan|kon) niet)"
            ),
            r"no (?:hemos podido|podemos|pudimos|se ha podido|se pudo) encontrar",
            r"(?:wir )?konnten? [^.\n]{0,30}seite[^.\n]{0,20}nicht finden",
            r"nous n'avons pas (?:pu )?trouve[^.\n]{0,20}page|non (?:abbiamo trovato|riusciamo a trovare)",
            r"nao (?:conseguimos|foi possivel) encontrar|kunnen [^.\n]{0,30}pagina[^.\n]{0,20}niet vinden",
        ),
    ),
    (
        _ERROR,
        1.5,
        (
            r"error establishing a database connection|erreur lors de la connexion a la base de donnees",
            r"fehler beim aufbau einer datenbank|error al establecer una conexion con la base",
            r"errore nello stabilire una connessione al database|erro ao estabelecer uma conexao com o banco",
        ),
    ),
    (
        _ERROR,
        1.5,
        (
            r"^cannot (?:get|post) /|no input file specified|^bad request$|^invalid (?:url|hostname|request)",
            r"^internal server error",
        ),
    ),
    (
        _ERROR,
        1.5,
        (
            r"the server encountered an (?:internal|unexpected|temporary)|server error in '/",
            r"application error: a (?:client|server)-side exception",
            r"there has been a critical error on (?:this|your) website|no explicit mapping for /error",
            r"no healthy upstream|upstream connect error|backend fetch failed|guru meditation",
        ),
    ),
    (
        _ERROR,
        1.5,
        (
            (
                r"\b(?:fatal error|parse error|warning|notice|deprecated|uncaught \w*(?:exception|error))\b:?"
                r"[^\n]{0,300}\bon line \d+"
            ),
            r"traceback \(most recent call last\)|stack trace:",
        ),
    ),
    (
        _ERROR,
        1.25,
        (
            r"could not connect to (?:the )?(?:database|mysql)|sqlstate\[|\bora-\d{5}|mysql server has gone away",
            r"access denied for user '|unable to connect to (?:the )?database|there isn't a github pages site here",
            r"the specified (?:key|bucket) does not exist|deployment_not_found",
            r"there is no app configured at that hostname",
        ),
    ),
    (
        _ERROR,
        1.0,
        (
            r"internal server error",
            (
                r"\b(?:an|the|some|unknown) ?(?:unexpected |internal |unknown |application |unhandled |temporary |"
                r"technical )?error (?:has |have )?(?:occurred|happened)"
            ),
            r"something (?:went|has gone) wrong",
            r"(?:experiencing|having) (?:some )?technical (?:difficulties|problems|issues)",
            r"the connection (?:has )?timed out|\bbad gateway\b|invalid url",
        ),
    ),
    (
        _ERROR,
        1.0,
        (
            r"une erreur (?:\w+ )?(?:est survenue|s'est produite|inattendue)|probleme technique",
            r"\bfehler ist aufgetreten|(?:se ha producido|ha ocurrido|ocurrio|se produjo) un (?:\w+ )?error",
            r"si e verificato un(?: \w+)? errore|ocorreu um(?: \w+)? erro",
            r"er is (?:iets|een \w*fout)[^.\n]{0,20}(?:misgegaan|mis gegaan|fout gegaan|opgetreden)",
        ),
    ),
    (
        _ERROR,
        0.5,
        (
            r"(?:please )?try again (?:later|in a (?:few|moment)|shortly)|reessaye[rz]",
            r"versuchen sie es (?:spater|bitte|in|erneut)|intentelo (?:de nuevo|mas tarde)",
            r"riprova(?:re)? piu tardi|tente novamente|probeer het (?:later|opnieuw)",
        ),
    ),
    (_MAINTENANCE, 2.0, (r"briefly unavailable for scheduled maintenance",)),
    (
        _MAINTENANCE,
        1.25,
        (
            (
                r"(?:undergoing|down for|performing|closed for|offline for|under|unavailable (?:for|due to|"
                r"because of)|carrying out)(?: some| our| a| the)?(?: scheduled| planned| routine| essential| brief|"
                r" urgent| system| regular)* (?:maintenance|upgrades?)\b"
            ),
            r"en (?:cours de )?maintenance|site en travaux|operation de maintenance",
            r"maintenance (?:programmee|planifiee|en cours|technique)|wartungsarbeiten",
            r"wird (?:gerade |derzeit |momentan |aktuell )?gewartet|im wartungsmodus",
            r"(?:en|por|labores de|tareas de) mantenimiento|(?:in|per) manutenzione|lavori di manutenzione",
            r"em manutencao|manutencao programada|(?:in|voor|wegens|gepland) onderhoud|onderhoudswerkzaamheden",
        ),
    ),
    (
        _MAINTENANCE,
        0.75,
        (
            r"(?:we'll|we will|will) be (?:right )?back (?:online |up )?(?:soon|shortly|in|up|later)",
            r"(?:check|come) back (?:soon|later|in|shortly)",
            r"(?:updating|upgrading) (?:our|the) (?:site|website|systems?)|temporarily (?:unavailable|offline)",
            r"de retour (?:bientot|dans)|in kurze wieder|volveremos pronto|torneremo presto|voltaremos em breve",
            r"zo snel mogelijk terug",
        ),
    ),
)
