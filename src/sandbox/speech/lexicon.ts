/**
 * Words whose short vowels Persian does not write, with their phonemes (`phonemes.ts`): what the rules of `persian.ts` cannot know.
 * Pairs of a word and its phonemes, in standard pronunciation.
 */
const table = `
من man تو to او u ما mA شما SomA آنها AnhA ایشان iSAn خود xod خودم xodam خودت xodat خودش xodaS
این in آن An اینجا injA آنجا AnjA کجا kojA چه ce که ke به be با bA بی bi از az در dar بر bar برای barAye تا tA را rA و va
یا yA اما ammA ولی vali اگر agar چون con چرا cerA چگونه cegune چطور cetor چند cand کی key هم ham همه hame هر har هیچ hic
دیگر digar فقط faqat باید bAyad شاید SAyad نیز niz پس pas سپس sepas مگر magar بله bale نه na آری Ari خیر xeyr لطفا lotfan لطفاً lotfan
است ast هست hast نیست nist بود bud شد Sod شده Sode شود Savad کرد kard کرده karde کند konad کن kon کنید konid کنم konam کنیم konim کنند konand
دارد dArad دارم dAram داریم dArim دارید dArid دارند dArand داشت dASt گفت goft گفتم goftam گوید guyad گویم guyam رفت raft رفتم raftam رفتیم raftim رود ravad روم ravam رویم ravim روند ravand
آمد Amad آمدم Amadam آید Ayad آیم Ayam آیند Ayand دید did دیدم didam بیند binad بینم binam خورد xord خوردم xordam خوردن xordan خورم xoram خوریم xorim خواهم xAham خواهد xAhad خواهیم xAhim
خواست xAst خواند xAnd خواندن xAndan خوان xAn خوانم xAnam نوشت neveSt نوشتن neveStan نویسم nevisam نویسد nevisad داد dAd دادن dAdan دهد dahad دهم daham دهند dahand گرفت gereft گرفتن gereftan گیرد girad
شنید Senid شناخت SenAxt شناسم SenAsam دانم dAnam داند dAnad دانست dAnest توان tavAn توانم tavAnam تواند tavAnad توانید tavAnid توانیم tavAnim رسید resid رسد resad رسیدن residan
خرید xarid خریدم xaridam فروش foruS فروخت foruxt فرستاد ferestAd فرستادم ferestAdam زد zad زدن zadan زند zanad گذشت gozaSt گذاشت gozASt نشست neSast نشسته neSaste ایستاد istAd
کردن kardan شدن Sodan رفتن raftan گفتن goftan آمدن Amadan بودن budan بودم budam بودند budand باش bAS باشد bASad باشید bASid باشند bASand کردم kardam کردند kardand کردیم kardim شدم Sodam شدند Sodand
برد bord بردن bordan ماند mAnd مانده mAnde آورد Avard آورده Avarde پرسید porsid ساخت sAxt سوخت suxt ریخت rixt بست bast شست Sost کشید keSid کشت koSt شکست Sekast گشت gaSt برگشت bargaSt
سلام salAm درود dorud خداحافظ xodAhAfez ممنون mamnun متشکرم motaSakkeram تشکر taSakkor مرسی mersi ببخشید bebaxSid خوش xoS خوشحال xoShAl خوب xub بد bad بهتر behtar بزرگ bozorg کوچک kucak
خرد xerad خدا xodA کتاب ketAb متن matn دفتر daftar قلم qalam مدرسه madrese دانش dAneS دانشگاه dAneSgAh دانشجو dAneSju معلم mo'allem استاد ostAd شاگرد SAgerd درس dars کلاس kelAs
خانه xAne شهر Sahr روستا rustA کشور keSvar ایران irAn تهران tehrAn شیراز SirAz اصفهان esfahAn تبریز tabriz مشهد maShad جهان jahAn دنیا donyA زمین zamin آسمان AsemAn آفتاب AftAb خورشید xorSid ماه mAh ستاره setAre
آب Ab نان nAn چای cAy قهوه qahve شیر Sir غذا qazA برنج berenj گوشت guSt ماهی mAhi مرغ morq سیب sib پرتقال porteqAl انگور angur انار anAr نمک namak شکر Sekar عسل 'asal صبحانه sobhAne ناهار nAhAr شام SAm
مادر mAdar پدر pedar برادر barAdar خواهر xAhar پسر pesar دختر doxtar زن zan مرد mard بچه bacce کودک kudak دوست dust دوستم dustam دوستان dustAn خانواده xAnevAde همسر hamsar مردم mardom نفر nafar
روز ruz شب Sab امروز emruz دیروز diruz فردا fardA دیشب diSab امشب emSab صبح sobh ظهر zohr عصر 'asr هفته hafte سال sAl ساعت sA'at دقیقه daqiqe ثانیه sAniye زمان zamAn وقت vaqt همیشه hamiSe اکنون aknun حالا hAlA
شنبه Sanbe یکشنبه yekSanbe دوشنبه doSanbe سه‌شنبه seSanbe چهارشنبه cahArSanbe پنجشنبه panjSanbe جمعه jom'e فروردین farvardin اردیبهشت ordibeheSt خرداد xordAd تیر tir مرداد mordAd شهریور Sahrivar مهر mehr آبان AbAn آذر Azar دی dey بهمن bahman اسفند esfand
بهار bahAr تابستان tAbestAn پاییز pAyiz زمستان zemestAn هوا havA باران bArAn برف barf باد bAd ابر abr ابری abri گرم garm سرد sard آتش AtaS دریا daryA رودخانه rudxAne کوه kuh جنگل jangal درخت deraxt گل gol گلدان goldAn پرنده parande
سر sar دست dast پا pA چشم ceSm چشمم ceSmam گوش guS دهان dahAn دل del قلب qalb خون xun سفید sefid سیاه siyAh سرخ sorx قرمز qermez سبز sabz آبی Abi زرد zard رنگ rang
کار kAr کارگر kArgar شرکت Serkat پول pul تومان tumAn ریال riyAl قیمت qeymat بازار bAzAr فروشگاه foruSgAh مغازه maqAze ماشین mASin قطار qatAr هواپیما havApeymA خیابان xiyAbAn کوچه kuce راه rAh سفر safar بلیت belit فرودگاه forudgAh
حرف harf سخن soxan زبان zabAn فارسی fArsi انگلیسی engelisi پرسش porseS سوال so'Al سؤال so'Al پاسخ pAsox جواب javAb صدا sedA نام nAm اسم esm کلمه kaleme واژه vAZe جمله jomle نامه nAme خبر xabar روزنامه ruznAme
علم 'elm هنر honar تاریخ tArix زندگی zendegi مرگ marg عشق 'eSq امید omid آرزو Arezu فکر fekr جان jAn یاد yAd صلح solh جنگ jang آزادی AzAdi حق haqq قانون qAnun دولت dowlat ملت mellat
پیش piS پشت poSt زیر zir روی ruye بالا bAlA پایین pAyin درون darun بیرون birun کنار kenAr نزدیک nazdik دور dur چپ cap راست rAst میان miyAn بین beyn بعد ba'd قبل qabl اول avval آخر Axar
خیلی xeyli بسیار besyAr کم kam زیاد ziyAd بیش biS بیشتر biStar کمتر kamtar همین hamin همان hamAn چنین conin چیز ciz کس kas کسی kasi جا jA بار bAr نو now تازه tAze قدیمی qadimi جدید jadid جوان javAn پیر pir
زیبا zibA قشنگ qaSang مهم mohemm سخت saxt آسان AsAn ساده sAde بلند boland کوتاه kutAh تند tond آرام ArAm گران gerAn ارزان arzAn درست dorost غلط qalat روشن rowSan تاریک tArik خسته xaste گرسنه gorosne تشنه teSne بیمار bimAr سالم sAlem
دکتر doktor بیمارستان bimArestAn دارو dAru درد dard کمک komak لازم lAzem ممکن momken مشکل moSkel حل hall شروع Soru' پایان pAyAn باز bAz بسته baste در dar پنجره panjare دیوار divAr اتاق otAq میز miz صندلی sandali تلفن telefon عکس 'aks فیلم film موسیقی musiqi بازی bAzi
رایانه rAyAne برنامه barnAme شبکه Sabake اینترنت internet هوش huS مصنوعی masnu'i مدل model داده dAde پیام payAm ایمیل imeyl رمز ramz حساب hesAb اعتبار e'tebAr کاربر kArbar پرونده parvande تصویر tasvir درصد darsad
یک yek دو do سه se چهار cahAr پنج panj شش SeS هفت haft هشت haSt نه no ده dah یازده yAzdah دوازده davAzdah بیست bist سی si چهل cehel پنجاه panjAh شصت Sast هفتاد haftAd هشتاد haStAd نود navad صد sad دویست devist هزار hezAr میلیون milyun میلیارد milyArd صفر sefr نیم nim
دوم dovvom سوم sevvom نخست noxost عدد 'adad شماره SomAre حدود hodud عمر 'omr مثل mesle بدون bedune وقتی vaqti اینکه inke چنانکه conAnke بلکه balke حتی hattA حتا hattA البته albatte یعنی ya'ni مثلا masalan مثلاً masalan معمولا ma'mulan معمولاً ma'mulan واقعا vAqe'an واقعاً vAqe'an
حال hAl عزیز 'aziz گرامی gerAmi آقا AqA خانم xAnom محمد mohammad علی 'ali حسن hasan حسین hoseyn رضا rezA فاطمه fAteme مریم maryam زهرا zahrA سارا sArA مینا minA کیان kiyAn حافظ hAfez سعدی sa'di فردوسی ferdowsi شعر Se'r
پخت poxt انسان ensAn موافق movAfeq مخالف moxAlef نقاش naqqAS نقاشی naqqASi دماوند damAvand فهمید fahmid فهمیدم fahmidam فهمم fahmam بندید bandid بندم bandam شوند Savand شوم Savam شویم Savim شوید Savid خوابم xAbam خوابد xAbad خوابیم xAbim می‌خواند mixAnad می‌شود miSavad می‌کند mikonad بخواند bexAnad پنیر panir
پارک pArk گربه gorbe سگ sag اسب asb گاو gAv ورزش varzeS فوتبال futbAl تیم tim برنده barande لباس lebAs کفش kafS کیف kif پیراهن pirAhan کلید kelid چراغ cerAq نور nur سنگ sang خاک xAk طلا talA نقره noqre آهن Ahan
خواب xAb خوابید xAbid خوابیدم xAbidam خویش xiS خور xor نمی nemi می mi همکار hamkAr ملی melli دقت deqqat محل mahall سؤالی so'Ali تمام tamAm جلسه jalase مدیر modir گروه goruh وزیر vazir مجلس majles اداره edAre دنبال donbAl انجام anjAm استفاده estefAde اطلاعات ettelA'At
تولد tavallod مبارک mobArak جشن jaSn عید 'eyd نوروز nowruz هدیه hediye سلامت salAmat پزشک pezeSk قرص qors صندوق sanduq حمام hammAm آشپزخانه ASpazxAne گفتگو goftogu جستجو jostoju آموزش AmuzeS پرورش parvareS کوشش kuSeS ورود vorud خروج xoruj ممنوع mamnu'
منفی manfi مثبت mosbat دما damA درجه daraje متر metr کیلومتر kilumetr گرم garm کیلو kilu نصف nesf ربع rob' قرن qarn مرکز markaz شمال SomAl جنوب jonub شرق Sarq غرب qarb نقشه naqSe پل pol مسجد masjed میدان meydAn موزه muze حرم haram ایستگاه istgAh مترو metro اتوبوس otobus تاکسی tAksi
`

export const persianWords: ReadonlyMap<string, string> = readTable(table)

/** English words that the rules of `english.ts` would read wrongly. */
export const englishWords: ReadonlyMap<string, string> = readTable(`
the D@ a @ of @v to tu is iz are Ar was w@z were wer be bi been bin have hav has haz do du does d@z done d@n you yu your yor they Dey their Der there Der this Dis that Dat these Diz those Dowz
than Dan then Den them Dem with wiD we wi he hi she Si me mi i Ay my mAy by bAy one w@n two tu four for eight eyt who hu what wAt where wer when wen why wAy how hAw some s@m come k@m from fr@m said sed says sez
would wud could kud should Sud only ownli other @D@r mother m@D@r father fAD@r people pip@l world w@rld word w@rd work w@rk any eni many meni again @gen hello helow no now so sow go gow into intu model mAd@l voice voys
data deyt@ open owp@n friend frend great greyt good gud book buk look luk every evri very veri water wAt@r money m@ni love l@v give giv live liv school skul city siti today tudey tomorrow tumArow as az for for
and and not nAt all ol call kol small smol if if its its his hiz new nyu question kwesc@n answer ans@r machine m@Sin image imij language languij our Awr hour Awr right rAyt write rAyt know now night nAyt high hAy
`)

function readTable(text: string): Map<string, string> {
  const cells = text.trim().split(/\s+/)
  return new Map(
    cells.flatMap((word, at) => (at % 2 ? [] : [[word.replaceAll('\u200c', ''), cells[at + 1]!] as const])),
  )
}
