"""Small product and property pages as shops write them, each with what should be read from it."""

from dataclasses import dataclass, field

LD = '<script type="application/ld+json">{}</script>'


@dataclass(frozen=True)
class ShopPage:
    """A page, its address, and the values of its listing as in JSON; `None` for a page that sells nothing."""

    html: str
    expected: dict[str, object] | None
    url: str = "https://shop.example/p/kettle"
    absent: tuple[str, ...] = field(default=())
    """Fields that must not be found."""


def shop(body: str, head: str = "", title: str = "Blue Kettle 1.7 l | The Shop", lang: str = "en") -> str:
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset=utf-8><title>{title}</title>{head}</head><body>'
        '<nav class="menu"><a href="/">Home</a> <a href="/sale">Sale from $5</a><span class="cart-total">$0.00'
        "</span></nav>"
        f'<main>{body}</main><footer class="footer">Free shipping from $50. © The Shop</footer></body></html>'
    )


BUY = '<form action="/cart"><button type="submit" class="add-to-cart">Add to cart</button></form>'
RELATED = (
    '<section class="related-products"><h2>You may also like</h2>'
    + "".join(
        f'<div class="product-card"><a href="/p/{n}"><h3>Other {n}</h3><span class="price">${n}9.00</span></a></div>'
        for n in range(1, 6)
    )
    + "</section>"
)

PAGES = {
    "JSON-LD in a graph with a list of types": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>" + RELATED,
            LD.format(
                '{"@context":"https://schema.org","@graph":[{"@type":"BreadcrumbList"},{"@type":["Product","Thing"],'
                '"name":"Blue Kettle 1.7 l","sku":"K-17","gtin13":"4006381333931","brand":{"@type":"Brand",'
                '"name":"Boil"},'
                '"image":["/k.jpg"],"offers":[{"@type":"Offer","price":"39.90","priceCurrency":"EUR",'
                '"availability":"https://schema.org/InStock"}]}]}'
            ),
        ),
        {
            "name": "Blue Kettle 1.7 l",
            "price": "39.90",
            "currency": "EUR",
            "availability": "InStock",
            "sku": "K-17",
            "gtin": "4006381333931",
            "brand": "Boil",
            "image": "https://shop.example/k.jpg",
        },
    ),
    "offers by reference, with trailing comma": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>",
            LD.format(
                '[{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@id":"#o"}},'
                '{"@type":"Offer","@id":"#o","price":12,"priceCurrency":"usd","availability":"OutOfStock"},]'
            ),
        ),
        {"price": "12", "currency": "USD", "availability": "OutOfStock"},
    ),
    "an aggregate of offers": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>",
            LD.format(
                '{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@type":"AggregateOffer","lowPrice":"20.50",'
                '"highPrice":"31.00","priceCurrency":"GBP","offerCount":3}}'
            ),
        ),
        {"price": "20.50", "highPrice": "31.00", "currency": "GBP"},
    ),
    "a group of variants, one of them in the address": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>",
            LD.format(
                '{"@type":"ProductGroup","name":"Blue Kettle 1.7 l","hasVariant":['
                '{"@type":"Product","sku":"K-10","offers":{"@type":"Offer","price":"10","priceCurrency":"EUR",'
                '"availability":"InStock"}},'
                '{"@type":"Product","sku":"K-17","offers":{"@type":"Offer","price":"17","priceCurrency":"EUR",'
                '"availability":"InStock"}}]}'
            ),
        ),
        {"price": "17", "currency": "EUR", "availability": "InStock"},
        url="https://shop.example/p/kettle?variant=K-17",
    ),
    "a price specification with the price before the reduction": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>",
            LD.format(
                '{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@type":"Offer","availability":"PreOrder",'
                '"priceSpecification":[{"price":99,"priceCurrency":"CHF","priceType":"https://schema.org/ListPrice"},'
                '{"price":79.5,"priceCurrency":"CHF"}]}}'
            ),
        ),
        {"price": "79.5", "regularPrice": "99", "salePrice": "79.5", "currency": "CHF", "availability": "PreOrder"},
    ),
    "microdata with a German price": ShopPage(
        shop(
            '<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Wasserkocher</h1>'
            '<div itemprop=offers itemscope itemtype="http://schema.org/Offer"><span itemprop=price>1.119,01</span>'
            "<meta itemprop=priceCurrency content=EUR>"
            '<link itemprop=availability href="http://schema.org/InStock"></div>'
            "</div>",
            title="Wasserkocher",
            lang="de",
        ),
        {"name": "Wasserkocher", "price": "1119.01", "currency": "EUR", "availability": "InStock"},
        url="https://laden.example.de/w",
    ),
    "RDFa": ShopPage(
        shop(
            '<div vocab="https://schema.org/" typeof="Product"><h1 property=name>Bouilloire</h1>'
            '<div property=offers typeof=Offer><span property=price content="45.00">45 €</span>'
            "<meta property=priceCurrency content=EUR></div></div>",
            title="Bouilloire",
            lang="fr",
        ),
        {"name": "Bouilloire", "price": "45.00", "currency": "EUR"},
    ),
    "OpenGraph alone": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1>",
            '<meta property="og:type" content="product"><meta property="product:price:amount" content="67.8400">'
            '<meta property="product:price:currency" content="EUR">'
            '<meta property="product:availability" content="oos">'
            '<meta property="product:brand" content="Boil">',
        ),
        {"price": "67.84", "currency": "EUR", "availability": "OutOfStock", "brand": "Boil"},
    ),
    "wrong structured data beside a visible price that microdata confirms": ShopPage(
        shop(
            '<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Blue Kettle 1.7 l</h1>'
            '<div itemprop=offers itemscope itemtype="http://schema.org/Offer">'
            "<span class=price itemprop=price>$ 71.91"
            f"</span><meta itemprop=priceCurrency content=USD></div></div>{BUY}",
            LD.format(
                '{"@type":"Product","name":"Blue Kettle 1.7 l","offers":{"@type":"Offer","price":"67.84",'
                '"priceCurrency":"USD"}}'
            ),
        ),
        {"price": "71.91", "currency": "USD"},
    ),
    "no structured data, related products and a reduced price": ShopPage(
        shop(
            '<div class="product-detail"><h1>Blue Kettle 1.7 l</h1><div class="price-box">'
            '<span class="price-old">$59.99</span>'
            f'<span class="price-now">$48.99</span><span class="unit-price">$28.82 / l</span></div>{BUY}'
            '<p class="stock">In stock</p><p class="delivery">Delivery: $4.95</p><p>or 4 payments of $12.25</p>'
            f"<ul><li>Brand: Boil</li><li>EAN: 4006381333931</li></ul></div>{RELATED}"
        ),
        {
            "name": "Blue Kettle 1.7 l",
            "price": "48.99",
            "currency": "USD",
            "regularPrice": "59.99",
            "availability": "InStock",
            "brand": "Boil",
            "gtin": "4006381333931",
        },
    ),
    "crossed out by an element, cents set apart": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1><div class=amount><del>$59<sup>99</sup></del> <b class=price>$48<sup>95"
            "</sup></b>"
            f"</div>{BUY}{RELATED}"
        ),
        {"price": "48.95", "regularPrice": "59.99"},
        url="https://shop.example.ca/p",
    ),
    "sold out in French, without a price": ShopPage(
        shop(
            "<h1>Bouilloire bleue</h1><div class=stock-status>Actuellement indisponible</div><p>Référence : B-1234</p>"
            '<div class="carousel"><a href=/x><span class=price>12,00 €</span></a></div>',
            title="Bouilloire bleue - Boutique",
            lang="fr",
        ),
        {"availability": "OutOfStock", "sku": "B-1234"},
        absent=("price",),
    ),
    "sold out in German, with a price": ShopPage(
        shop(
            "<h1>Wasserkocher blau</h1><p class=preis>1.299,00 € <small>inkl. MwSt.</small></p>"
            "<p>Leider ausverkauft</p><button>Benachrichtigen Sie mich</button>",
            title="Wasserkocher blau",
            lang="de",
        ),
        {"price": "1299.00", "currency": "EUR", "availability": "OutOfStock"},
    ),
    "a disabled buy button": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1><span class=price>£30</span>"
            "<button disabled class=add-to-cart>Add to basket</button>"
        ),
        {"price": "30", "currency": "GBP", "availability": "OutOfStock"},
    ),
    "Swedish crowns": ShopPage(
        shop(
            "<h1>Vattenkokare blå</h1><div class=pris>1 234,50 kr</div><p>Finns i lager</p>"
            "<button>Lägg i varukorgen</button>",
            title="Vattenkokare blå",
            lang="sv",
        ),
        {"price": "1234.50", "currency": "SEK", "availability": "InStock"},
        url="https://butik.example.se/k",
    ),
    "Norwegian crowns without decimals": ShopPage(
        shop("<h1>Vannkoker</h1><span class=price>899,-</span><button>Kjøp</button>", title="Vannkoker", lang="nb"),
        {"price": "899", "currency": "NOK"},
        url="https://butikk.example.no/k",
    ),
    "pesos with a point for thousands": ShopPage(
        shop(
            "<h1>Hervidor azul</h1><p class=price>$ 24.990</p><a class=btn href=/c>Agregar al carro</a>",
            title="Hervidor azul",
            lang="es",
        ),
        {"price": "24990", "currency": "CLP"},
        url="https://tienda.example.cl/h",
    ),
    "rupees in lakhs": ShopPage(
        shop(f"<h1>Blue Kettle 1.7 l</h1><span class=price>Rs. 1,23,456</span>{BUY}"),
        {"price": "123456", "currency": "PKR"},
        url="https://shop.example.pk/k",
    ),
    "yen on a Japanese page": ShopPage(
        shop(
            "<h1>電気ケトル</h1><p class=price>¥12,800 (税込)</p><button>カートに入れる</button>",
            title="電気ケトル",
            lang="ja",
        ),
        {"price": "12800", "currency": "JPY", "availability": "InStock"},
    ),
    "Swiss francs with apostrophes": ShopPage(
        shop(f"<h1>Blue Kettle 1.7 l</h1><span class=price>CHF 1’234.50</span>{BUY}"),
        {"price": "1234.50", "currency": "CHF"},
    ),
    "a range": ShopPage(
        shop(f"<h1>Blue Kettle 1.7 l</h1><span class=product-price>€12.50 – €15.00</span>{BUY}"),
        {"price": "12.50", "highPrice": "15.00", "currency": "EUR"},
    ),
    "no sign of a currency but the domain's country": ShopPage(
        shop(f"<h1>Blue Kettle 1.7 l</h1><span class=product-price>15.99</span>{BUY}"),
        {"price": "15.99", "currency": "EUR"},
        url="https://veikals.example.lv/k",
    ),
    "a property in structured data": ShopPage(
        shop(
            "<h1>Bright flat in the old town</h1>",
            LD.format(
                '{"@type":["RealEstateListing","Apartment"],"name":"Bright flat in the old town","numberOfRooms":3,'
                '"floorSize":{"@type":"QuantitativeValue","value":85,"unitCode":"MTK"},'
                '"address":{"@type":"PostalAddress",'
                '"streetAddress":"Gasse 1","postalCode":"1010","addressLocality":"Wien","addressCountry":"AT"},'
                '"offers":{"@type":"Offer","price":"450000","priceCurrency":"EUR"}}'
            ),
            title="Bright flat in the old town",
        ),
        {
            "kind": "property",
            "price": "450000",
            "rooms": "3",
            "area": {"amount": "85", "unit": "m2"},
            "address": {"street": "Gasse 1", "postalCode": "1010", "locality": "Wien", "country": "AT"},
        },
    ),
    "a property in plain text": ShopPage(
        shop(
            "<h1>Helle Altbauwohnung</h1><p>3,5 Zimmer</p><p>Wohnfläche 92 m²</p>"
            "<div class=preis>Kaufpreis: 399.000 €</div>",
            title="Helle Altbauwohnung",
            lang="de",
        ),
        {
            "kind": "property",
            "price": "399000",
            "currency": "EUR",
            "rooms": "3.5",
            "area": {"amount": "92", "unit": "m2"},
        },
    ),
    "a note that a style sheet hides, beside a button to buy": ShopPage(
        shop(f"<h1>Blue Kettle 1.7 l</h1><span class=price>£30</span><div class=stock-out>Sold out</div>{BUY}"),
        {"price": "30", "availability": "InStock"},
    ),
    "a price in parts, one of them for screen readers": ShopPage(
        shop(
            "<h1>Blue Kettle 1.7 l</h1><span class=a-price><span class=a-offscreen>$87.11</span><span aria-hidden=true>"
            "<span class=a-price-symbol>$</span><span class=a-price-whole>87<span class=a-price-decimal>.</span></span>"
            f"<span class=a-price-fraction>11</span></span></span>{BUY}{RELATED}"
        ),
        {"price": "87.11", "currency": "USD"},
    ),
    "a shop whose pages call themselves articles and whose classes mean nothing": ShopPage(
        shop(
            f"<h1>Blue Kettle 1.7 l</h1><div class=x1><span class=q7>€ 30,00</span></div>{BUY}",
            '<meta property="og:type" content="article">',
        ),
        {"price": "30.00", "currency": "EUR", "availability": "InStock"},
    ),
    "a list of products": ShopPage(
        shop(
            "<h1>Kettles</h1>" + RELATED,
            LD.format(
                '{"@type":"ItemList","itemListElement":['
                + ",".join(
                    f'{{"@type":"Product","name":"Other {n}","offers":{{"@type":"Offer","price":"{n}9"}}}}'
                    for n in range(6)
                )
                + "]}"
            ),
            title="Kettles | The Shop",
        ),
        None,
    ),
    "an article about prices": ShopPage(
        shop(
            "<article><h1>Inflation rises</h1><p>The <span class=price>price</span> of a kettle is now $49.99."
            "</p></article>",
            LD.format('{"@type":"NewsArticle","headline":"Inflation rises"}'),
            title="Inflation rises",
        ),
        None,
    ),
}
