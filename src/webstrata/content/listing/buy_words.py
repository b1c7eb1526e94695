"""Words on buttons that put a product into a cart, in many languages, and words that look alike but do not."""

import re
from functools import lru_cache

_BUY = (
    *("add to cart", "add to bag", "add to basket", "add to your basket", "add to trolley", "buy now", "buy it now"),
    *("order now", "place order", "shop now", "purchase", "pre-order", "preorder", "add to order", "place bid"),
    *("warenkorb", "einkaufswagen", "einkaufskorb", "jetzt kaufen", "kaufen", "jetzt bestellen", "vorbestellen"),
    *("ajouter au panier", "ajouter à mon panier", "acheter", "commander", "précommander"),
    *("añadir al carr", "añadir a la cesta", "agregar al carr", "añadir a la bolsa", "agregar a la bolsa", "comprar"),
    *("aggiungi al carrello", "acquista", "nel carrello", "preordina", "compra ora"),
    *("winkelwagen", "winkelmand", "bestellen", "koop nu", "nu kopen"),
    *("adicionar ao carrinho", "adicionar à sacola", "adicionar ao cesto", "colocar no carrinho"),
    *("varukorg", "lägg i", "köp", "handlekurv", "handlevogn", "kjøp", "læg i kurv", "tilføj til kurv", "køb"),
    *("ostoskoriin", "osta nyt", "lisää koriin", "setja í körfu"),
    *("do koszyka", "kup teraz", "do košíku", "do košíka", "koupit", "kúpiť", "kosárba", "megveszem", "rendelés"),
    *("adaugă în coș", "adauga in cos", "cumpără", "cumpara", "în coș"),
    *("в корзину", "купить", "в кошик", "купити", "добави в количка", "купи", "в количката", "заказать", "оформить"),
    *("sepete ekle", "satın al", "v košarico", "naroči", "u košaricu", "dodaj u korpu", "kupi"),
    *("į krepšelį", "pirkti", "grozā", "grozam", "pirkt", "ostukorvi", "lisa korvi"),
    *("カートに入れる", "カートに追加", "購入", "買い物かご", "加入購物車", "加入购物车", "立即購買", "立即购买"),
    *("放入購物車", "直接購買"),
    *("장바구니", "구매하기", "바로구매", "أضف إلى", "أضف الى", "اشتري", "اشتر الآن", "הוסף לסל", "קנה עכשיו", "לסל"),
    *("προσθήκη στο καλάθι", "στο καλάθι", "αγορά", "หยิบใส่", "สั่งซื้อ", "ซื้อเลย", "thêm vào giỏ", "mua ngay"),
    *("tambah ke", "masukkan keranjang", "beli sekarang"),
)
_WHOLE = frozenset({"add", "buy", "order"})
"""Labels that must be the whole text, as other labels contain these words, too."""

_NOT_BUY = (
    *("wish", "registry", "compare", "notify", "gift card", "favo", "merkzettel", "wunschliste", "liste d'envies"),
    *("view cart", "go to cart", "zum warenkorb", "voir le panier", "checkout", "shopping guide", "lista nozze"),
    *("continue shopping", "weiter einkaufen", "remove", "newsletter", "search", "login", "sign"),
)
_WAITING = (
    *("notify me", "email me when", "back in stock", "let me know", "join waitlist", "benachrichtig", "erinnern"),
    *("prévenez-moi", "m'avertir", "m'alerter", "avísame", "avisarme", "avvisami", "avise-me", "avisem-me"),
    *("houd mij op de hoogte", "mail mij", "bevaka", "gi meg beskjed", "powiadom", "hlídat", "strážiť", "értesítés"),
    *("уведомить", "сообщить о поступлении", "повідомити", "obvesti me", "入荷お知らせ", "到貨通知", "貨到通知"),
    *("재입고", "gelince haber", "stoğa gelince", "avisar quando", "upozornit", "ειδοποί", "anunță-mă"),
)
BUY_NAME = re.compile(
    r"add-?to-?(?:cart|basket|bag|trolley)|buy-?(?:now|button|btn|link)|button-?cart|btn-?cart|cart-?(?:button|btn|add)"
    r"|add-?cart"
)


@lru_cache(maxsize=4_096)
def is_buying(text: str, names: str) -> bool:
    """Return whether a button puts a product into a cart, by its text and its plain names."""
    label = " ".join(text.split()).casefold()
    if any(word in label for word in _NOT_BUY):
        return False
    return label in _WHOLE or any(word in label for word in _BUY) or (bool(BUY_NAME.search(names)) and len(label) < 60)


@lru_cache(maxsize=4_096)
def is_waiting(text: str) -> bool:
    """Return whether a button offers a notification when a product is back in stock."""
    label = " ".join(text.split()).casefold()
    return any(word in label for word in _WAITING)
