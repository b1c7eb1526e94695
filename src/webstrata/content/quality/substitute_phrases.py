"""Phrases of pages that sites show instead of their content or before it: parked domains, default pages, consent,
redirects.

See `content/quality/phrases.py`.
"""

from webstrata.content.quality.phrase_rows import PhraseRow, any_of
from webstrata.model.quality import QualityKind

_CONSENT, _EMPTY, _REDIRECT = QualityKind.CONSENT, QualityKind.EMPTY, QualityKind.REDIRECT
_PARKED, _PLACEHOLDER = QualityKind.PARKED, QualityKind.PLACEHOLDER

TITLES: tuple[PhraseRow, ...] = (
    (
        _CONSENT,
        1.0,
        (
            r"before you (?:continue|proceed|go on).{0,40}",
            r"cookies?(?:[ -](?:consent|settings|preferences|notice|wall|choices))",
            r"(?:your |our )?privacy (?:settings|choices|preferences|gate)",
            r"(?:your )?(?:consent|privacy)(?: required| manager| options)?|we value your privacy",
            r"avant de continuer.{0,40}|(?:gestion|parametres) (?:des|de vos) cookies",
            r"bevor sie .{0,40}(?:fortfahren|weitergehen)|datenschutz-?einstellungen",
            r"cookie-?(?:einstellungen|instellingen|zustimmung|toestemming|melding)|privacy-?instellingen",
            r"privacygate|dpg media privacy gate|antes de (?:continuar|ir a).{0,40}",
            r"prima di (?:continuare|procedere).{0,40}|voordat (?:je|u) .{0,40}",
            r"age (?:verification|check|gate|restricted|confirmation)|(?:please )?(?:verify|confirm) your age",
            r"are you (?:over|of legal|at least|\d\d).{0,40}|verification de (?:l')?age|altersprufung",
            r"verificacion de edad|leeftijdscontrole",
        ),
    ),
    (
        _PARKED,
        1.25,
        (
            (
                r"(?:this |the )?domain(?: name)? (?:[\w.-]+ )?(?:is |may be |could be )?(?:for sale|available|parked|"
                r"registered|expired)(?: .{0,30})?"
            ),
            r"buy (?:this|the) domain.{0,30}|parked (?:domain|page)|domain parking",
            r"[\w-]+\.[a-z]{2,12} (?:is |may be )?(?:for sale|parked)(?: .{0,40})?",
            r"(?:ce |le )?(?:nom de )?domaine .{0,30}(?:a vendre|reserve|gare)",
            r"(?:diese )?domain .{0,40}(?:zu verkaufen|zum verkauf|geparkt)",
            r"(?:este )?dominio .{0,30}(?:en venta|a la venta|aparcado)",
            r"(?:questo )?dominio .{0,30}(?:in vendita|parcheggiato)",
            r"(?:este )?dominio .{0,30}(?:a venda|estacionado)",
            r"(?:dit |deze )?domein(?:naam)? .{0,30}(?:te koop|gereserveerd|geregistreerd|geparkeerd)",
            r"hugedomains.{0,40}|website expired|domain (?:has )?expired",
        ),
    ),
    (
        _PLACEHOLDER,
        1.25,
        (
            (
                r"welcome to (?:nginx|openresty|centos|caddy|tengine|apache|litespeed|cherokee|jetty|wildfly.{0,5}|"
                r"jboss.{0,10}|the default page.{0,30})(?: on .{1,30}| linux)?"
            ),
            r"it works|apache2 .{0,20}default page(?:: it works)?|iis(?: windows(?: server)?|\d*(?:\.\d)?)?",
            r"(?:internet information services|iis windows server)|(?:http server )?test page.{0,60}",
            r"(?:apache|nginx|http) (?:http )?server test page.{0,60}",
            r"(?:default|domain default) (?:web ?site |web |plesk |server )?page|plesk .{0,20}default page",
            r"web server's default page|apache tomcat(?:/[\d.]+)?|default (?:parallels plesk|web site) page",
            r"future home of .{1,60}|(?:this )?account (?:has been )?suspended",
            (
                r"(?:this )?(?:site|website|web site) (?:has been |is )?(?:suspended|disabled|not (?:published|"
                r"configured|available)|under construction|coming soon)"
            ),
            r"congratulations.{0,40}your (?:site|website) is .{0,30}",
        ),
    ),
    (
        _PLACEHOLDER,
        1.0,
        (
            r"(?:we are |we're |website |site |our new (?:web)?site is |launching )*coming soon",
            r"(?:page |site |website )?under construction|opening soon|launching soon|index of /?",
            r"(?:site |page )?en construction|bientot (?:disponible|en ligne)|im aufbau|baustelle",
            r"hier entsteht .{1,60}|(?:sitio |pagina )?en construccion|proximamente",
            r"(?:sito )?in (?:costruzione|allestimento)|em (?:construcao|breve)",
            r"(?:in aanbouw|binnenkort (?:online|beschikbaar))",
        ),
    ),
    (
        _REDIRECT,
        1.0,
        (
            r"redirect(?:ing|ion)?(?: .{0,60})?|object moved|document moved|(?:30[12378])(?: .{0,30})?",
            r"moved permanently|(?:you are being|you will be) redirected.{0,40}|page (?:has )?moved",
            r"redirection en cours|weiterleitung|redireccionando|doorsturen",
        ),
    ),
    (
        _EMPTY,
        0.75,
        (
            r"loading|chargement|wird geladen|cargando|caricamento|carregando|laden|react app|vite .{1,20}|my app",
            r"webpack app|vue app",
        ),
    ),
)

SENTENCES: tuple[PhraseRow, ...] = (
    (
        _CONSENT,
        1.0,
        (
            (
                r"\b(?:we|site|website|us)\b[^.\n]{0,60}\b(?:use|uses|store|set|process|data)\b"
                r"[^.\n]{0,60}\bcookies?\b"
            ),
            r"we (?:value|care about|respect) your privacy|before you continue",
            r"your privacy (?:choices|matters|is important)",
            (
                r"(?:manage|customi[sz]e|change) (?:your )?(?:cookie|privacy|consent)[\w -]{0,12}(?:settings|"
                r"preferences|choices|options)"
            ),
            r"nous utilisons[^.\n]{0,60}cookies|cookies?[^.\n]{0,40}(?:votre consentement|sont utilises)",
            r"avant de continuer|respect(?:ons|er|ez)?[^.\n]{0,12} votre vie privee",
            r"\bwir (?:verwenden|nutzen|setzen|und unsere)[^.\n]{0,60}cookies",
            r"bevor sie [^.\n]{0,30}(?:fortfahren|weitergehen|weiter)|ihre privatsphare",
            r"(?:utilizamos|usamos)[^.\n]{0,60}cookies|(?:utilizziamo|usiamo)[^.\n]{0,60}cookie|la tua privacy",
            r"tu privacidad|sua privacidade|\bwij? (?:gebruiken|plaatsen)[^.\n]{0,60}cookies",
            r"(?:jouw|uw|je) privacy",
        ),
    ),
    (
        _CONSENT,
        1.0,
        (
            r"are you (?:over|of legal|at least|older than|aged?)\b[^.\n]{0,30}",
            r"must be (?:of legal|over|at least|\d\d)[^.\n]{0,40}(?:enter|age|visit|access|view)",
            r"legal drinking age|(?:verify|confirm) (?:your age|that you are (?:over|at least))",
            r"(?:plus|moins) de 18 ans|(?:uber|mindestens) 18|mayor(?:es)? de (?:edad|18)|maggior(?:e|i) di 18",
            r"maior(?:es)? de 18|18 jaar of ouder",
        ),
    ),
    (
        _PARKED,
        1.5,
        (
            (
                r"(?:this |the )?domain(?: name)?(?: [\w.-]+\.[a-z]{2,12})? (?:is |may be |might be |could be |"
                r"has been )?(?:for sale|available for (?:purchase|sale)|parked|listed for sale)"
            ),
            r"\bbuy this domain",
            r"(?:inquire|enquire|make an offer)[^.\n]{0,30}(?:about |on |for )?(?:this|the) domain",
            r"(?:[\w-]+\.)+(?:com|net|org|info|biz|io|co|[a-z]{2}) is (?:for sale|parked)",
            r"parked free,? courtesy of|domain is (?:registered|parked) (?:at|with|by)",
            r"(?:nom de )?domaine (?:est|[\w.-]+ est)[^.\n]{0,10}(?:a vendre|en vente|reserve|enregistre)",
            r"domain (?:steht |ist |[\w.-]+ steht )?(?:zum verkauf|zu verkaufen|geparkt)",
            r"dominio (?:[\w.-]+ )?(?:esta |e )?(?:en venta|a la venta|in vendita|a venda|parcheggiat|aparcad)",
            r"domein(?:naam)? (?:[\w.-]+ )?(?:is |staat )?(?:te koop|gereserveerd|geregistreerd|geparkeerd)",
            r"the owner of [\w.-]+ (?:has|is offering)|domain (?:name )?has expired",
            r"renew (?:it|this domain|your domain)",
        ),
    ),
    (
        _PARKED,
        0.5,
        (
            r"^related (?:searches|links)|sponsored (?:listings|links)|disclaimer:? [^\n]{0,100}(?:domain|sedo)",
            r"privacy policy \| ",
        ),
    ),
    (
        _PLACEHOLDER,
        1.5,
        (
            r"if you see this page, the (?:nginx|openresty|tengine) web server is successfully installed",
            r"default (?:welcome |web |index )?page (?:used to test|for this (?:server|domain|web ?site))",
            r"this is the default (?:welcome |web |index |nginx |apache )?page",
            r"there is no (?:web ?site|site) (?:configured|here|at this)|no (?:web ?)?site (?:is )?configured",
            r"used to test the (?:correct|proper) operation|replace this (?:file|page)",
            r"web server software is running but no content",
            r"you(?:'ve| have) successfully installed (?:tomcat|apache|nginx)",
            r"(?:this|your) account has been suspended|contact your hosting provider",
            r"this web ?site is (?:suspended|not (?:yet )?(?:available|configured|published))",
            r"site (?:is )?not published|the website owner (?:has not|hasn't)",
            r"welcome to wordpress\. this is your first post",
        ),
    ),
    (
        _PLACEHOLDER,
        1.0,
        (
            r"(?:web ?site|page|site) is (?:coming soon|under construction|currently being built)",
            r"(?:we are|we're) (?:working (?:hard )?on|building|launching)[^.\n]{0,30}(?:site|website|something)",
            r"(?:stay tuned|coming soon)|site (?:est )?en (?:cours de )?construction|hier entsteht",
            r"seite (?:ist |befindet sich )?im aufbau|(?:sitio|pagina)[^.\n]{0,15}en construccion",
            r"sito[^.\n]{0,15}in (?:costruzione|allestimento)|site em construcao|website is in aanbouw",
        ),
    ),
    (
        _REDIRECT,
        1.25,
        (
            r"(?:if you are|if you're|should you)? ?not (?:automatically )?redirected",
            r"you (?:are being|will be|should be) (?:automatically )?redirected|document has moved|object moved to",
            r"redirecting(?: you)? to|page has moved (?:to|permanently)|click here (?:if|to continue)",
            r"si vous n'etes pas redirige|automatisch weitergeleitet",
        ),
    ),
    (
        _EMPTY,
        1.0,
        (
            (
                r"(?:need|requires?|required|must|please|have|kindly)\b[^.\n]{0,40}(?:enable|activate|turn on|allow|"
                r"switch on)[^.\n]{0,20}java ?script"
            ),
            (
                r"java ?script (?:is|must be|needs to be|has to be|to be)[^.\n]{0,20}(?:required|enabled|disabled|"
                r"turned|necessary|off)"
            ),
            r"(?:doesn't|does not|won't|cannot) (?:work|run|function)[^.\n]{0,40}without java ?script",
            r"requires java ?script|enable java ?script|activ\w+ (?:le )?java ?script",
            r"java ?script (?:zu )?(?:aktivieren|aktiviert|activ\w+|habilit\w+|abilit\w+|inschakelen|ingeschakeld)",
            r"(?:habilit|abilit)\w+ (?:el |o )?java ?script|aktivieren sie (?:bitte )?java ?script",
            r"schakel java ?script|your browser (?:is not supported|is out of date|does not support)",
        ),
    ),
    (
        _EMPTY,
        0.75,
        (
            (
                r"^(?:loading|please wait|chargement|wird geladen|cargando|caricamento|carregando|"
                r"laden)[ .…]*(?:please wait)?[ .…]*$"
            ),
        ),
    ),
)

ACCEPTING = any_of(
    (
        r"(?:yes,? |i |ok,? )*(?:accept|agree|allow|consent|got it|understand|continue|enter|am over|over 18|"
        r"yes|save|reject|decline|deny|necessary|manage|customi[sz]e)\b.{0,40}"
    ),
    r"(?:tout |j'|je |oui)?(?:accepte[rz]?|refuse[rz]?|continuer|d'accord|oui).{0,30}",
    r"(?:alle[sn]? )?(?:akzeptieren|zustimmen|annehmen|ablehnen|einverstanden|ja).{0,30}",
    r"(?:aceptar|acepto|rechazar|continuar|aceitar|aceito|recusar|permitir|sim|si|concordo).{0,30}",
    r"(?:accett[ao]|rifiuta|consenti|continua).{0,30}",
    r"(?:alles? )?(?:accepteren|akkoord|toestaan|weigeren|doorgaan).{0,30}",
)
"""Labels of buttons in questions about cookies or age."""

ABOUT_CONSENT = any_of(
    r"cookie|consent|privacy|personal data|partner|legitimate interest|track|advertis|personali|measure",
    r"identifier|device|vie privee|donnees|publicit|datenschutz|einwillig|werbung|privacidad",
    r"consentimiento|publicidad|consenso|pubblicit|privacidade|toestemming|advertentie|privatsph|vendor",
    r"\bage\b|drinking|18",
)
"""What the lines of such a question are about."""
