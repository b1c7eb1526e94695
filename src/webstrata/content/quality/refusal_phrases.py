"""Phrases of pages that refuse a visitor: firewalls, captchas, rate limits, logins, subscriptions.

See `content/quality/phrases.py`.
"""

from webstrata.content.quality.phrase_rows import PhraseRow
from webstrata.model.quality import QualityKind

_BLOCKED, _CAPTCHA = QualityKind.BLOCKED, QualityKind.CAPTCHA
_LOGIN, _PAYWALL = QualityKind.LOGIN, QualityKind.PAYWALL

_SIGN_IN = r"(?:log ?-?in|sign ?-?in|log ?-?on|sign ?-?on)"

TITLES: tuple[PhraseRow, ...] = (
    (
        _BLOCKED,
        1.0,
        (
            (
                r"(?:(?:http|error|status|code)[ :#-]*)*403(?:[ :.,-]*(?:error|forbidden|access denied|"
                r"access forbidden))*"
            ),
            r"forbidden",
            (
                r"(?:your )?(?:access|request|connection|ip|ip address)(?: to (?:this|the) [\w ]{1,30})?(?: has been|"
                r" have been| is| was)?(?: temporarily)? (?:denied|blocked|forbidden|restricted|rejected|limited)"
            ),
            r"you (?:have been|are|were) (?:blocked|being rate limited|rate limited)|blocked|(?:web )?page blocked",
            r"site blocked|sucuri (?:website|cloudproxy) [\w ]*firewall",
            r"(?:http |error )*429(?: too many requests)?|too many requests|rate limit(?:ed| exceeded)?",
            r"(?:http |error )*451.{0,40}|unavailable for legal reasons|request unsuccessful|not acceptable",
            r"(?:http |error )*406 not acceptable|request rejected|security violation|unauthorized activity.{0,40}",
            r"(?:virtual )?waiting room|(?:you are|you're) (?:now )?in (?:line|the queue|a queue).{0,40}",
            r"queue(?:-it)?|the request could not be satisfied|unusual (?:traffic|activity)(?: detected)?",
            r"bot detected|access temporarily .{0,20}|acces (?:refuse|interdit|bloque|restreint|non autorise)",
            r"zugriff (?:verweigert|gesperrt|abgelehnt|blockiert)|zugang (?:verweigert|gesperrt)",
            r"acceso (?:denegado|prohibido|restringido|bloqueado)|accesso (?:negato|vietato|bloccato)",
            r"acesso (?:negado|bloqueado|proibido)|toegang (?:geweigerd|geblokkeerd|ontzegd|verboden)",
            r"доступ (?:запрещен|ограничен)",
        ),
    ),
    (
        _CAPTCHA,
        1.25,
        (
            r"just a moment|attention required|pardon our interruption|human verification|robot check",
            r"security check(?:point)?|(?:\w+ )?security (?:checkpoint|verification|challenge)",
            r"(?:are you|you are) (?:a|not a) (?:ro)?bot|are you human",
            (
                r"(?:please )?(?:verify|verifying|confirm)(?: that)? (?:you are|you're|your) (?:a )?(?:human|"
                r"not a (?:ro)?bot|identity)"
            ),
            r"(?:bot|browser|access|user|visitor|client) (?:verification|challenge|check)|captcha(?: .{0,20})?",
            r"re-?captcha|challenge validation|checking (?:your browser|the site connection).{0,40}",
            r"ddos[- ](?:guard|protection.{0,30})|making sure you're not a bot",
            r"prove (?:that )?you(?:'re| are) (?:human|not a robot)|validate.{0,20}captcha|un instant",
            r"nur einen moment|einen moment(?: bitte)?|un momento|ci siamo quasi|um momento|even geduld",
            r"een ogenblik|jeszcze chwila|один момент|verification de securite",
            r"しばらくお待ちください|请稍候|잠시만 기다리십시오",
            r"sicherheitsuberprufung",
        ),
    ),
    (
        _CAPTCHA,
        0.75,
        (
            r"(?:one moment,? )?please wait|one moment(?:,? please)?|loading challenge|verification",
            r"veuillez patienter",
        ),
    ),
    (
        _LOGIN,
        1.0,
        (
            (
                r"(?:(?:member|user|customer|staff|account|please|client|admin|secure|portal|employee|"
                rf"partner)s? )*{_SIGN_IN}(?:(?: or |/)(?:register|sign ?up|join|create.{{0,20}})| to .{{1,40}}| page|"
                r" required| form| screen)?"
            ),
            r"authentication required|authentification(?: requise)?|identification|connexion|se connecter",
            r"connectez-vous.{0,30}|anmelden|anmeldung|einloggen|iniciar sesion|inicio de sesion|inicia sesion",
            r"accedi|iniciar sessao|fazer login|inloggen|aanmelden|members? only|(?:single )?sign-?on",
            r"(?:error )?401(?: unauthori[sz]ed)?|unauthori[sz]ed|authori[sz]ation required",
            r"(?:private|protected|restricted)(?: site| page| area| content)|password (?:required|protected)",
            r"protected: .{1,100}|enter password|access restricted to .{1,30}|espace (?:membres?|client|abonnes?)",
            r"logga in|log ind|logg inn|zaloguj sie",
        ),
    ),
)

SENTENCES: tuple[PhraseRow, ...] = (
    (_BLOCKED, 2.0, (r"request unsuccessful\.? incapsula|sucuri website firewall|the requested url was rejected",)),
    (_BLOCKED, 1.0, (r"you don't have permission to access|you do not have (?:permission|access|authori[sz]ation)\b",)),
    (
        _BLOCKED,
        1.25,
        (
            r"\byou have been (?:temporarily )?blocked",
            (
                r"\b(?:your|this) (?:ip|access|request|connection|browser|network|session|visit)\b"
                r"[^.\n]{0,60}\b(?:blocked|denied|limited|banned|flagged|rejected|refused)\b"
            ),
            r"\byou (?:are|were) being rate limited|your (?:ip|access)[^.\n]{0,60}(?:restricted|suspended)",
        ),
    ),
    (
        _BLOCKED,
        0.75,
        (r"\baccess (?:to (?:this|the) [\w ]{1,30})?(?:has been |is |was )?(?:denied|blocked|forbidden)",),
    ),
    (
        _BLOCKED,
        0.75,
        (
            (
                r"\b(?:ray|support|incident|request|event|block|reference|error|trace|transaction|case|"
                r"tracking) ?(?:id|#|number|code|no\.?)[:#\s]*(?:is[:\s]*)?[0-9a-f][0-9a-f.\-]{5,}"
            ),
        ),
    ),
    (
        _BLOCKED,
        1.25,
        (
            r"using a security service to protect itself|generated by wordfence",
            (
                r"(?:blocked|rejected|stopped) by (?:our|the|a|this)[^.\n]{0,30}(?:security|firewall|waf|protection|"
                r"administrator|site owner)"
            ),
            r"request (?:has been |was )?blocked|the request is blocked|consult with your administrator",
            r"web application firewall|appropriate representation of the requested",
            r"(?:this|the) (?:page|site) (?:is|has been) blocked|limited by the (?:site )?owner|mod_?security",
        ),
    ),
    (
        _BLOCKED,
        0.75,
        (
            r"generated by cloudfront|request could not be satisfied|cloudflare ray id",
            r"(?:protected|secured) by \w+",
        ),
    ),
    (
        _BLOCKED,
        1.0,
        (
            r"unusual (?:traffic|activity|number of requests)",
            r"automated (?:requests?|access|queries|traffic|tools?|software)",
            r"suspicious (?:activity|behaviou?r|traffic|request)|malicious (?:bots?|activity|request)",
            r"bot (?:activity|traffic|behaviou?r|detected)",
        ),
    ),
    (
        _BLOCKED,
        1.25,
        (
            r"you(?:'re| are) (?:now )?in (?:line|the queue|a queue)|estimated (?:wait|waiting) time",
            r"your turn (?:comes|is)",
        ),
    ),
    (
        _BLOCKED,
        1.25,
        (
            r"too many requests|rate[- ]limit(?:ed|ing)?\b[^.\n]{0,30}(?:exceeded|reached|try)",
            r"exceeded (?:the|your|our)[^.\n]{0,20}rate limit|sent too many requests",
            r"too many (?:attempts|connections from)|trop de requetes|zu viele anfragen",
            r"demasiadas (?:solicitudes|peticiones)|troppe richieste|muitas (?:solicitacoes|requisicoes)",
            r"te veel (?:verzoeken|aanvragen)",
        ),
    ),
    (
        _BLOCKED,
        1.25,
        (
            (
                r"(?:not|un|n't)[ -]?(?:currently )?(?:available|accessible) (?:in|from|to (?:visitors|users) (?:in|"
                r"from)) (?:your|most|the|this)[^.\n]{0,20}(?:country|region|location|territory|european|eu\b|europe)"
            ),
            r"blocked in your (?:country|region)|451: unavailable",
            r"general data protection regulation[^\n]{0,200}(?:cannot|unable|not) ",
        ),
    ),
    (
        _BLOCKED,
        1.25,
        (
            r"vous n'avez pas (?:l'autorisation|les droits|la permission|acces)",
            r"votre (?:adresse ip|acces|requete|connexion)[^.\n]{0,50}(?:bloqu|refus|rejet)",
            r"acces a (?:cette|ce)[^.\n]{0,40}(?:bloque|refuse|interdit|restreint)",
            r"ihre? (?:ip|anfrage|zugriff|verbindung)[^.\n]{0,50}(?:gesperrt|blockiert|abgelehnt)",
            r"keine berechtigung",
            r"(?:su|tu) (?:ip|solicitud|acceso|direccion)[^.\n]{0,50}(?:bloquead|rechazad|denegad)",
            r"no tiene(?:s)? (?:permiso|acceso|autorizacion)",
            r"(?:il tuo|la tua|la sua)[^.\n]{0,50}(?:bloccat|rifiutat|negat)",
            r"non (?:hai|disponi)[^.\n]{0,20}(?:autorizzazion|permess)",
            r"(?:seu|sua|o seu) (?:ip|acesso|solicitacao|endereco)[^.\n]{0,50}(?:bloquead|negad)",
            r"(?:nao tem|voce nao tem)[^.\n]{0,10}permissao",
            r"(?:uw|je) (?:ip|toegang|verzoek)[^.\n]{0,50}(?:geblokkeerd|geweigerd)|geen toegang tot",
        ),
    ),
    (
        _CAPTCHA,
        1.5,
        (
            r"checking (?:if the site connection is secure|your browser before)",
            r"review the security of your connection",
        ),
    ),
    (_CAPTCHA, 1.0, (r"checking your browser|performing (?:a )?security (?:check|verification)|ddos protection by",)),
    (
        _CAPTCHA,
        1.25,
        (
            (
                r"(?:verify|verifying|confirm|prove|ensure|make sure|making sure|check|determine)(?: to us)?(?: that|"
                r" if| whether)? (?:you are|you're|you aren't|you're not|you are not)(?: really)?(?: an?|"
                r" not an?)? (?:human|real|(?:ro)?bot|person|actual)"
            ),
        ),
    ),
    (
        _CAPTCHA,
        1.0,
        (
            r"press (?:&|and) hold",
            r"(?:complete|solve|pass) (?:the|this|a) (?:security check|captcha|challenge|puzzle)",
        ),
    ),
    (
        _CAPTCHA,
        1.0,
        (
            r"(?:enter|type) the characters (?:you see|shown|below|in the)",
            r"slide (?:right )?to (?:complete|verify|secure|unlock)",
        ),
    ),
    (
        _CAPTCHA,
        1.5,
        (
            r"enable js and disable any ad blocker|made us think (?:that )?you (?:were|might be|are) a bot",
            r"request is coming from a robot",
        ),
    ),
    (
        _CAPTCHA,
        1.0,
        (
            r"enable (?:javascript|js) and cookies to continue",
            r"cookies and (?:javascript|js) (?:are|must be) enabled",
        ),
    ),
    (
        _CAPTCHA,
        0.75,
        (r"not a robot\b|one more step|additional security check|this process is automatic|before proceeding",),
    ),
    (
        _CAPTCHA,
        1.25,
        (
            (
                r"(?:verifi|confirm|assur)\w*[^.\n]{0,30}(?:que )?vous (?:etes (?:bien )?(?:un )?(?:humain|"
                r"une personne|un etre)|n'etes pas un robot)"
            ),
            r"(?:bestatig|uberpruf|pruf|verifizier|sicherstell)\w*[^.\n]{0,50}(?:mensch|kein (?:ro)?bot)",
            (
                r"(?:verifi|comprob|confirm|comprueb)\w*[^.\n]{0,40}(?:(?:eres|es|seas?) (?:un )?(?:ser )?human|"
                r"no (?:eres|es|soy) un robot)"
            ),
            r"(?:verific|conferm)\w*[^.\n]{0,40}(?:essere|sei|sia) (?:un )?(?:essere )?uman",
            r"(?:verifi|confirm)\w*[^.\n]{0,40}(?:voce|e) (?:e )?(?:um )?(?:ser )?human",
            r"(?:controleer|bevestig|verifieer|verifier)\w*[^.\n]{0,50}(?:mens\b|geen robot)",
            r"je ne suis pas un robot|ich bin kein roboter|no soy un robot|non sono un robot|nao sou um robo",
            r"ik ben geen robot|вы не робот",
        ),
    ),
    (
        _LOGIN,
        1.5,
        (
            (
                r"(?:must|need to|have to|please|required to|should)(?: first)?(?: be)? (?:logged ?-?in|log ?-?in|"
                r"signed ?-?in|sign ?-?in|authenticate|register)(?: or [\w ]{1,20}| first|"
                r" with [\w ]{1,30})?(?:,? in order)? to (?:view|access|see|read|continue|proceed|use|enter|open|"
                r"visit)"
            ),
            (
                r"(?:this|the) (?:content|page|post|site|area|section|resource) is (?:password[- ]protected|private|"
                r"(?:only )?for (?:registered )?members)"
            ),
            r"you are not (?:logged in|authori[sz]ed to (?:view|access|see))",
            r"your session has (?:expired|timed out)",
        ),
    ),
    (
        _LOGIN,
        1.0,
        (
            rf"\b{_SIGN_IN} to (?:continue|view|access|see|your account)",
            r"(?:enter|use) your (?:username|user name|e-?mail|credentials|account|password)",
        ),
    ),
    (
        _LOGIN,
        0.75,
        (
            r"forgot(?:ten)?[^.\n]{0,10} password|mot de passe oublie|passwort vergessen|contrasena\?",
            r"olvid[^.\n]{0,20}contrasena|password dimenticata|esquec[^.\n]{0,20}senha|wachtwoord vergeten",
            r"not a member\?|don't have an account|create an account|keep me signed in|remember me",
        ),
    ),
    (
        _LOGIN,
        1.25,
        (
            (
                r"(?:vous devez|veuillez|merci de)(?: etre| vous)? (?:connect|identifi|authentifi)\w*"
                r"[^.\n]{0,30}pour (?!comment|laisser|publi|post|repon)"
            ),
            r"(?:connectez|identifiez)-vous (?:pour (?!comment|laisser|publi|post|repon)|a votre)",
            (
                r"(?:melden sie sich|loggen sie sich|bitte (?:anmelden|einloggen))[^.\n]{0,30}(?:um |an|ein)(?!"
                r"[^.\n]{0,20}komment)"
            ),
            r"(?:inici[ae]s?|debes? iniciar) sesion (?:para (?!coment)|en tu)",
            r"(?:effettua|devi)[^.\n]{0,20}(?:login|accedere|l'accesso) per (?!comment)",
            r"(?:faca|fazer) login para (?!coment)|inicie sessao para (?!coment)",
            r"(?:log|meld)(?: je| u)? (?:in|aan) om (?!te reageren)",
        ),
    ),
    (
        _PAYWALL,
        1.5,
        (
            (
                r"(?:subscribe|sign up|register|log in|sign in|become a (?:member|subscriber)|upgrade|join)\b"
                r"[^.!?\n]{0,40}\bto (?:continue reading|keep reading|finish reading|read (?:the )?(?:full|rest|"
                r"more(?! about| news| from)|this|on)|unlock|access (?:the )?full|view the full)"
            ),
            r"to (?:continue|keep) reading\b[^.\n]{0,60}(?:subscri|regist|log in|sign|account|join|member)",
            (
                r"(?:this|the) (?:article|content|story|post|report)(?: is| has been)?[^.\n]{0,20}(?:reserved for|"
                r"only (?:available )?(?:for|to)|exclusive(?:ly)? (?:for|to)|for)(?: our| paid| paying|"
                r" premium)* (?:subscribers|members)"
            ),
            r"(?:reached|used|read)[^.\n]{0,30}(?:free articles|article limit|free stories)",
            r"this is (?:a )?(?:premium|subscriber[- ]only|members?[- ]only)|you(?:'ve| have) reached your limit",
        ),
    ),
    (
        _PAYWALL,
        1.5,
        (
            r"reserve\w* (?:a nos|aux|a ses) abonne|il vous reste [^.\n]{0,30}a (?:lire|decouvrir)",
            r"(?:abonnez-vous|s'abonner)[^.\n]{0,40}pour (?:lire|acceder|continuer|poursuivre)",
            r"pour (?:lire la suite|continuer la lecture|poursuivre (?:la|votre) lecture)|weiterlesen mit",
            (
                r"(?:dieser|der|dieses) (?:artikel|inhalt|beitrag)[^.\n]{0,30}(?:abonnenten|ist kostenpflichtig|"
                r"mit [\w+ ]{0,12}abo)"
            ),
            r"nur fur abonnent|um (?:diesen artikel|den artikel|weiter)[^.\n]{0,20}(?:zu lesen|lesen zu)",
            r"jetzt abonnieren und weiterlesen",
            (
                r"(?:suscri\w+|registrat\w*|hazte (?:socio|suscriptor))[^.\n]{0,40}para (?:seguir|leer|continuar|"
                r"acceder)"
            ),
            r"(?:contenido|articulo|noticia)[^.\n]{0,20}(?:para|de) suscriptores|para (?:seguir|continuar) leyendo",
            r"(?:abbonati|registrati)[^.\n]{0,40}per (?:continuare|leggere)",
            r"(?:riservat|esclusiv)\w+[^.\n]{0,12} abbonati|per continuare a leggere",
            r"(?:assine|cadastre-se)[^.\n]{0,40}para (?:continuar|ler|acessar)",
            r"(?:exclusiv|restrit)\w+[^.\n]{0,12}assinantes|para continuar (?:lendo|a ler)",
            r"(?:abonneer|word (?:abonnee|lid)|registreer)[^.\n]{0,40}om (?:verder|dit|te lezen)",
            r"(?:alleen|exclusief) voor abonnees",
        ),
    ),
    (
        _PAYWALL,
        0.75,
        (
            r"already (?:a |an )?(?:subscriber|subscribed|member)\b|deja abonne|bereits abonnent|schon abonnent",
            r"ya (?:eres|soy) suscriptor|sei gia abbonat|ja (?:e|sou) assinante|al abonnee",
        ),
    ),
)
