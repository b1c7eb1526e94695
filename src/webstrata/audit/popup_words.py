"""Labels of the controls that dismiss popups, in the major languages, and of controls that are never clicked."""

REJECTING = (
    *("reject", "reject all", "reject cookies", "decline", "decline all", "deny", "deny all", "refuse", "refuse all"),
    *("only necessary", "necessary only", "necessary cookies only", "only essential", "essential only", "disagree"),
    *("essential cookies only", "use necessary cookies only", "strictly necessary", "do not accept", "do not consent"),
    *("continue without accepting", "continue without agreeing", "do not allow", "required only", "opt out"),
    *("ablehnen", "alle ablehnen", "nur notwendige", "nur erforderliche", "nur essenzielle", "nicht zustimmen"),
    *("nur notwendige cookies", "nur technisch notwendige", "ohne einwilligung fortfahren", "nicht akzeptieren"),
    *("refuser", "tout refuser", "continuer sans accepter", "je refuse", "refuser tout", "uniquement nécessaires"),
    *("rechazar", "rechazar todo", "rechazar todas", "solo necesarias", "solo las necesarias", "no aceptar"),
    *("continuar sin aceptar", "rifiuta", "rifiuta tutto", "rifiuta tutti", "solo necessari", "solo i necessari"),
    *("continua senza accettare", "non accetto", "rejeitar", "rejeitar tudo", "rejeitar todos", "recusar"),
    *("recusar tudo", "apenas necessários", "somente necessários", "não aceitar", "weigeren", "alles weigeren"),
    *("afwijzen", "alles afwijzen", "alleen noodzakelijk", "alleen noodzakelijke", "niet akkoord", "neka", "neka alla"),
    *("avvisa", "avvisa alla", "endast nödvändiga", "bara nödvändiga", "afvis", "afvis alle", "kun nødvendige"),
    *("kun de nødvendige", "avslå", "avslå alle", "avvis", "avvis alle", "bare nødvendige", "hylkää", "hylkää kaikki"),
    *("vain välttämättömät", "kiellä kaikki", "odrzuć", "odrzuć wszystkie", "odrzuć wszystko", "tylko niezbędne"),
    *("nie zgadzam się", "odmítnout", "odmítnout vše", "pouze nezbytné", "jen nezbytné", "odmietnuť"),
    *("odmietnuť všetko", "iba nevyhnutné", "elutasítom", "összes elutasítása", "csak a szükségesek", "refuz"),
    *("refuză", "respinge", "respinge tot", "отклонить", "отклонить все", "только необходимые", "відхилити"),
    *("відхилити все", "reddet", "tümünü reddet", "απόρριψη", "απόρριψη όλων", "zavrni", "zavrni vse", "odbij"),
    *("odbij sve", "отхвърлям", "拒否", "すべて拒否", "拒否する", "同意しない", "拒绝", "全部拒绝", "拒絕", "全部拒絕"),
    *("거부", "모두 거부", "رفض", "رفض الكل", "דחה", "דחה הכל"),
)
"""Labels that refuse consent; these controls are clicked first."""

CLOSING = (
    *("close", "dismiss", "no thanks", "no, thanks", "no thank you", "not now", "maybe later", "skip", "later"),
    *("close popup", "close dialog", "close modal", "close this dialog", "close banner", "not interested"),
    *("schließen", "nein danke", "nein, danke", "später", "jetzt nicht", "vielleicht später", "überspringen"),
    *("fermer", "non merci", "non, merci", "plus tard", "pas maintenant", "ignorer", "cerrar", "no gracias"),
    *("no, gracias", "ahora no", "más tarde", "quizás más tarde", "chiudi", "no grazie", "no, grazie", "non ora"),
    *("più tardi", "fechar", "não obrigado", "não, obrigado", "agora não", "mais tarde", "sluiten", "nee bedankt"),
    *("nee, bedankt", "niet nu", "later misschien", "stäng", "nej tack", "inte nu", "luk", "nej tak", "ikke nu"),
    *("lukk", "nei takk", "ikke nå", "sulje", "ei kiitos", "ei nyt", "myöhemmin", "zamknij", "nie dziękuję"),
    *("nie, dziękuję", "nie teraz", "zavřít", "ne děkuji", "ne, děkuji", "teď ne", "zavrieť", "nie, ďakujem"),
    *("bezárás", "nem, köszönöm", "închide", "nu, mulțumesc", "закрыть", "нет, спасибо", "не сейчас", "закрити"),
    *("kapat", "hayır, teşekkürler", "κλείσιμο", "όχι, ευχαριστώ", "zapri", "zatvori", "затвори"),
    *("stay here", "stay on this site", "stay on this page", "stay on this store", "hier bleiben", "rester ici"),
    *("auf dieser seite bleiben", "rester sur ce site", "quedarse aquí", "quedarme aquí", "resta qui", "ficar aqui"),
    *("blijf hier", "stanna kvar", "bliv her", "zostań tutaj", "zůstat zde"),
    *("閉じる", "今はしない", "後で", "关闭", "關閉", "不用了", "닫기", "나중에", "إغلاق", "סגור", "לא תודה"),
)
"""Labels that close a dialog without consent."""

ACCEPTING = (
    *("accept", "accept all", "accept cookies", "accept all cookies", "allow all", "allow cookies", "agree"),
    *("i agree", "i accept", "agree and continue", "accept and continue", "accept & continue", "consent", "got it"),
    *("i understand", "understood", "allow all cookies", "akzeptieren", "alle akzeptieren", "zustimmen"),
    *("alle zulassen", "alles akzeptieren", "einverstanden", "verstanden", "ich stimme zu", "alle cookies akzeptieren"),
    *("accepter", "tout accepter", "j'accepte", "accepter tout", "accepter et continuer", "j'ai compris"),
    *("aceptar", "aceptar todo", "aceptar todas", "aceptar cookies", "de acuerdo", "entendido", "accetta"),
    *("accetta tutto", "accetta tutti", "accetto", "ho capito", "aceitar", "aceitar tudo", "aceitar todos"),
    *("aceito", "entendi", "accepteren", "alles accepteren", "alle cookies accepteren", "akkoord", "begrepen"),
    *("acceptera", "acceptera alla", "godkänn", "godkänn alla", "jag förstår", "tillåt alla", "accepter alle"),
    *("acceptér", "acceptér alle", "tillad alle", "forstået", "godta", "godta alle", "aksepter", "aksepter alle"),
    *("tillat alle", "jeg forstår", "hyväksy", "hyväksy kaikki", "salli kaikki", "akceptuję", "akceptuj wszystkie"),
    *("zaakceptuj", "zaakceptuj wszystkie", "zgadzam się", "rozumiem", "přijmout", "přijmout vše", "souhlasím"),
    *("rozumím", "povolit vše", "prijať", "prijať všetko", "súhlasím", "elfogadom", "összes elfogadása", "accept tot"),
    *("acceptă", "acceptă tot", "de acord", "принять", "принять все", "согласен", "понятно", "прийняти"),
    *("прийняти все", "kabul et", "tümünü kabul et", "anladım", "αποδοχή", "αποδοχή όλων", "sprejmi", "sprejmi vse"),
    *("prihvati", "prihvati sve", "приемам", "приемам всички"),
    *(
        "同意する",
        "すべて同意",
        "承認",
        "許可する",
        "同意",
        "全部接受",
        "接受",
        "接受所有",
        "동의",
        "모두 동의",
        "수락",
    ),
    *("قبول", "قبول الكل", "موافق", "אישור", "אני מסכים", "קבל הכל"),
)
"""Labels that give consent; these controls are clicked only if no other dismisses the popup."""

WHOLE_LABELS = frozenset(
    {"x", "×", "✕", "✖", "✗", "╳", "⨯", "🗙", "ok", "okay", "no", "non", "nein", "nej", "nei", "nee", "ei", "nie", "ne"}
)
"""Labels that close a popup only if they are the whole label."""

FORBIDDEN = (
    *("pay", "payment", "paypal", "buy", "order", "checkout", "purchase", "cart", "basket", "bag", "subscribe"),
    *("sign up", "sign in", "signup", "log in", "login", "register", "account", "submit", "download", "install"),
    *("donate", "delete", "settings", "preferences", "manage", "customize", "customise", "options", "more", "policy"),
    *("bezahlen", "zahlen", "kaufen", "bestellen", "bestellung", "kasse", "warenkorb", "anmelden", "registrieren"),
    *("abonnieren", "einstellungen", "konto", "spenden", "herunterladen", "payer", "paiement", "acheter", "commander"),
    *("commande", "panier", "s'abonner", "s'inscrire", "connexion", "paramètres", "paramétrer", "pagar", "pago"),
    *("comprar", "pedido", "carrito", "suscribirse", "iniciar sesión", "registrarse", "configurar", "paga"),
    *("acquista", "ordina", "ordine", "carrello", "iscriviti", "accedi", "impostazioni", "pagamento", "encomendar"),
    *("carrinho", "subscrever", "assinar", "entrar", "configurações", "betalen", "kopen", "afrekenen", "winkelwagen"),
    *("inloggen", "aanmelden", "instellingen", "betala", "köp", "beställ", "kassa", "varukorg", "prenumerera"),
    *("logga in", "inställningar", "betal", "køb", "bestil", "kurv", "tilmeld", "log ind", "indstillinger", "kjøp"),
    *("handlekurv", "logg inn", "innstillinger", "maksa", "osta", "tilaa", "kassalle", "ostoskori", "kirjaudu"),
    *("asetukset", "zapłać", "kup", "zamów", "koszyk", "zapisz się", "zaloguj", "ustawienia", "zaplatit", "koupit"),
    *("objednat", "košík", "přihlásit", "nastavení", "fizetés", "vásárlás", "kosár", "plată", "cumpără", "coș"),
    *("оплатить", "купить", "заказать", "корзина", "подписаться", "войти", "настройки", "купити", "кошик"),
    *("öde", "satın al", "sepet", "giriş", "ayarlar", "πληρωμή", "αγορά", "καλάθι"),
    *(
        "支払",
        "購入",
        "注文",
        "カート",
        "登録",
        "ログイン",
        "設定",
        "付款",
        "支付",
        "购买",
        "購買",
        "下单",
        "登录",
        "登入",
    ),
    *("购物车", "購物車", "设置", "設定", "결제", "구매", "주문", "장바구니", "로그인", "설정", "شراء", "دفع", "קנה"),
)
"""Words of controls that pay, order, subscribe, sign in or lead elsewhere."""

ORDER_PATHS = (
    "pay|payment|payments|checkout|order|orders|cart|carts|basket|purchase|buy|addtocart|placeorder|account|login|signin"
    "|kasse|warenkorb|bestellung|bestellen|konto|anmelden|panier|commande|paiement|compte|connexion|carrito|pedido|pago"
    "|cuenta|carrello|ordine|cassa|carrinho|conta|winkelwagen|afrekenen|kassa|varukorg|koszyk|kosik"
)
"""Words in the scripts and addresses of controls that are never clicked, whatever their labels are."""
