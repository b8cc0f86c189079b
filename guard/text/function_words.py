"""The commonest small words of languages in Latin script, those left out that English also has.

Language codes are ISO 639-1. A word may stand under several languages.
"""

from __future__ import annotations

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the of and to is that it for was with as his they be this have from or had by but"
        " what some we can out other were all there when up use your how said each she which"
        " their will about if not would them then so these her him has more could my than been"
        " who its now did get may you he i are our because does don't it's i'm you're into just"
        " should very only after before where why here also any most over such no yes please",
        "de": "der das und ist nicht ein eine einen einem einer eines zu den dem des mit sich auf"
        " für auch von ich du wir ihr es im als wie oder aber noch nach bei nur aus wenn werden"
        " wird sind haben hatte kann mich dich mir dir keine kein sehr über zum zur dass diese"
        " dieser dieses wurde ihre seine mein dein uns euch weil durch bin bist hast vom beim",
        "fr": "le les des est une dans qui que pour pas par sur au aux avec ce cette ces il elle"
        " nous vous ils elles je mais ou où donc sont être avoir fait plus comme tout mon ton son"
        " ma ta sa leur leurs ses mes tes se ne en du la un et de très aussi bien peut été avait"
        " j'ai c'est n'est qu'il l'on d'un d'une suis êtes ont avez",
        "es": "el los las un una unos unas y que es en por con para se del al lo como más pero sus"
        " le ya o este esta sí porque cuando muy sin sobre también hasta hay donde quien desde"
        " todo nos durante todos uno les ni contra otros ese eso ante ellos e esto mí antes"
        " algunos qué yo otro otras él tanto esa estos mucho nada muchos cual poco ella estar"
        " estas algunas algo nosotros mi mis tú te ti tu tus ellas nosotras son está están ser"
        " tiene de la su",
        "pt": "o os as um uma e que é em por com para se do da dos das ao à no na nos nas não mais"
        " mas como foi ele ela eu você nós eles elas isso este esta esse essa seu sua meu minha"
        " muito já também só pelo pela até quando porque são está estão ser ter tem havia de",
        "it": "il lo gli un una uno e è che di del della dei delle degli in per con su da dal dalla"
        " al alla ai alle nel nella non si mi ti ci vi ne ma anche come più questo questa questi"
        " queste sono sei siamo ho hai ha abbiamo hanno essere avere io tu lui lei noi voi loro"
        " mio tuo suo molto quando perché dove chi cosa la le",
        "nl": "de het een van en dat niet te zijn op aan met voor er maar om hem dan zou wat mijn"
        " men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft"
        " hebben deze u want nog zal zij nu ge geen omdat iets worden toch al waren veel meer doen"
        " toen moet ben zonder kan hun dus alles onder ja eens hier wie werd altijd ik wij jij",
        "sv": "och att det i en jag hon som han på den med var sig för så till är men ett om hade"
        " de av icke mig du henne då sin nu har inte hans honom skulle hennes där min man ej vid"
        " kunde något från ut när efter upp vi dem vara vad över än dig kan sina här ha mot alla"
        " under någon eller allt mycket sedan ju denna själv detta åt utan varit hur ingen mitt",
        "da": "og i jeg det at en den til er som på de med han af for ikke der var mig sig men et"
        " har om vi min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad"
        " skal selv her alle vil blev kunne ind når være dog noget ville jo deres efter ned skulle"
        " denne end dette mit også under have dig anden hende mine alt meget sit sine vor mod",
        "no": "og i jeg det at en et den til er som på de med han av ikke der så var meg seg men"
        " har om vi min mitt ha hadde hun nå over da ved fra du ut sin dem oss opp man kan hans"
        " hvor eller hva skal selv sjøl her alle vil bli ble blitt kunne inn når være kom noen"
        " noe ville dere deres etter ned skulle denne for fordi hvis ikkje eg",
        "fi": "ja on ei se että hän oli olla mutta joka kun niin myös minä sinä me te he tämä"
        " mitä kuin jos tai vain kuten sen ovat hänen jo nyt kaikki ole mikä siitä missä minun"
        " olen olet olemme koska vielä sitten hyvin sitä tätä eivät",
        "pl": "i w na nie się z do to że jest o jak ale po co tak za od dla są czy przez był była"
        " było może tylko już tym ten ta te jego jej ich mnie mi cię ty ja my wy oni też bardzo"
        " przed gdzie kiedy żeby który która które mam masz jestem być ma",
        "cs": "a se na je že v to s z do i o jako ale za po pro jsem jsi jsou by si co když tak"
        " jak ve už jen nebo být byl byla bylo její jeho který která které mě mu ho ty já my vy"
        " oni také protože kde tento tato velmi není",
        "sk": "a sa na je že v to s z do aj o ako ale za po pre som si sú by čo keď tak už len"
        " alebo byť bol bola bolo jej jeho ktorý ktorá ktoré ma mu ho ty ja my vy oni tiež pretože"
        " kde tento veľmi nie",
        "hu": "a az és hogy nem is egy ez de van volt csak már meg ki ha mint én te ő mi ti ők azt"
        " ezt még vagy mert nagyon minden kell lesz lehet amikor pedig szerint után olyan itt ott",
        "ro": "și în la cu pe nu că o un de este a fost din mai pentru care ca se ce sunt sau dar"
        " al ale lui ei eu tu el ea noi voi am ai are avea fi acest această acesta foarte când"
        " unde cum doar după îi îl",
        "tr": "ve bir bu da de için ile çok ne ben sen biz siz onlar var yok değil ama gibi daha"
        " kadar olarak olan oldu en her ki mi mı diye sonra şey nasıl neden çünkü ya hem veya"
        " beni seni onun benim senin",
        "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena"
        " tersebut bisa ada mereka lebih kata tahun sudah atau saat oleh sebagai adalah kita kami"
        " kamu anda dia telah harus apa sangat bukan jika",
        "vi": "và là của có không một được cho các trong với người này những đã để tôi bạn khi đó"
        " như cũng từ nhưng rất sẽ thì đến vào ở hay nếu chúng anh em nó",
        "tl": "ang ng sa na ay mga ko mo siya ako ikaw ka hindi kung para at ito iyon niya nila"
        " kami tayo sila may mayroon dahil pero kaya lang din rin po naman",
        "sw": "na ya wa kwa ni katika za la cha kuwa hii hiyo huyo yake wake wao sisi mimi wewe"
        " yeye lakini kama au sana hapana ndiyo watu vya",
        "hr": "i je se u na da to za su ne od s sam si kao ali bi ili što koji koja koje biti bio"
        " bila bilo ja ti mi vi oni ona ono samo više još kad kada gdje jer njegov njezin nije",
        "sq": "dhe të në e për me një është që nga i si ka nuk më do u ai ajo ne ju ata por kjo ky"
        " shumë kur ku",
        "et": "ja on ei see et ta oli aga kui mis kes ka seda nii või mina sina meie teie nad oma"
        " siis ainult veel väga mitte olen oled",
        "lt": "ir yra ne tai kad su į iš buvo bet kaip apie jis ji aš tu mes jūs jie kas ar labai"
        " dar tik už per nuo savo",
        "lv": "un ir nav tas ka ar uz no bija bet kā par viņš viņa es tu mēs jūs viņi kas vai ļoti"
        " vēl tikai ja savu",
        "ca": "el els les un una i que és en per amb no es del al més però com són ho aquest"
        " aquesta jo tu ell ella nosaltres vosaltres molt quan perquè on també fins tot de la",
    }.items()
}
