import { expect, test } from 'vitest'
import { costOf, expectLinear, units } from '../../../tests/cost/cost.ts'
import { phrasesOf } from './pronounce.ts'

const said = (text: string): string => [...phrasesOf(text)].map(({ words }) => words.join(' ')).join(' | ')

/** The expected phonemes, written by hand in standard Persian pronunciation before the program was run. */
const sentences: [string, string][] = [
  ['سلام، حال شما چطور است؟', 'salAm | hAl SomA cetor ast'],
  ['من دیروز یک کتاب خوب خریدم.', 'man diruz yek ketAb xub xaridam'],
  ['امروز هوا خیلی سرد است.', 'emruz havA xeyli sard ast'],
  ['مادرم برای شام برنج و ماهی پخت.', 'mAdaram barAye SAm berenj va mAhi poxt'],
  ['بچه‌ها در پارک بازی می‌کنند.', 'baccehA dar pArk bAzi mikonand'],
  ['قطار تهران ساعت ۸ می‌رسد.', "qatAr tehrAn sA'at haSt miresad"],
  ['لطفاً در را ببندید.', 'lotfan dar rA bebandid'],
  ['قیمت این کفش ۱٬۲۵۰٬۰۰۰ تومان است.', 'qeymat in kafS yek milyun o devist o panjAh hezAr tumAn ast'],
  ['دمای هوا ۳٫۵ درجه است.', 'damAye havA se momayyez panj daraje ast'],
  ['او هر روز صبح زود ورزش می‌کند.', 'u har ruz sobh zud varzeS mikonad'],
  ['خواهرم در دانشگاه درس می‌خواند.', 'xAharam dar dAneSgAh dars mixAnad'],
  ['گُلِ سرخ در باغ است.', 'gole sorx dar bAq ast'],
  ['خانهٔ ما نزدیک بازار است.', 'xAneye mA nazdik bAzAr ast'],
  ['خانه‌ی آنها دور نیست.', 'xAneye AnhA dur nist'],
  ['مُحَمَّد و علی دوستان من هستند.', "mohammad va 'ali dustAn man hastand"],
  ['آیا شما فارسی می‌دانید؟', 'AyA SomA fArsi midAnid'],
  ['كتاب‌هاي من روی ميز است.', 'ketAbhAye man ruye miz ast'],
  ['پدربزرگ من ۷۵ سال دارد.', 'pedarbozorg man haftAd o panj sAl dArad'],
  ['ما فردا به اصفهان می‌رویم.', 'mA fardA be esfahAn miravim'],
  ['این مسئله بسیار مهم است.', "in mas'ale besyAr mohemm ast"],
  ['سؤال شما را نفهمیدم.', "so'Al SomA rA nafahmidam"],
  ['شب‌ها ستاره‌ها در آسمان دیده می‌شوند.', 'SabhA setArehA dar AsemAn dide miSavand'],
  ['نان تازه و پنیر می‌خواهم.', 'nAn tAze va panir mixAham'],
  ['قلب انسان روزی صد هزار بار می‌زند.', 'qalb ensAn ruzi sad hezAr bAr mizanad'],
  ['۵۰٪ مردم موافق بودند.', 'panjAh darsad mardom movAfeq budand'],
  ['شماره کلاس ما ۱۲ است.', 'SomAre kelAs mA davAzdah ast'],
  ['دانش‌آموز به مدرسه رفت.', 'dAneSAmuz be madrese raft'],
  ['پرنده‌ای روی درخت نشسته است.', "parande'i ruye deraxt neSaste ast"],
  ['خسته‌ام و باید بخوابم.', "xaste'am va bAyad bexAbam"],
  ['ما دیشب فیلم قشنگی دیدیم.', 'mA diSab film qaSangi didim'],
  ['راه خانه طولانی بود.', 'rAh xAne tulAni bud'],
  ['اتوبوس شماره ۳۴ کجا می‌ایستد؟', 'otobus SomAre si o cahAr kojA miyistad'],
  ['برادر کوچکم نقاشی دوست دارد.', 'barAdar kucakam naqqASi dust dArad'],
  ['چای داغ با قند می‌خورم.', 'cAy dAq bA qand mixoram'],
  ['در سال ۱۴۰۳ باران زیادی بارید.', 'dar sAl hezAr o cahArsad o se bArAn ziyAdi bArid'],
  ['هیچ‌کس جواب درست را نمی‌دانست.', 'hickas javAb dorost rA nemidAnest'],
  ['پول‌هایم را در کیفم گذاشتم.', 'pulhAyam rA dar kifam gozAStam'],
  ['عکس‌های سفرمان خیلی زیباست.', "'akshAye safaremAn xeyli zibAst"],
  ['کوه دماوند بلندترین کوه ایران است.', 'kuh damAvand bolandtarin kuh irAn ast'],
  ['خداحافظ، فردا شما را می‌بینم!', 'xodAhAfez | fardA SomA rA mibinam'],
]

test.each(sentences)('%s', (text, phonemes) => expect(said(text)).toBe(phonemes))

test('numbers are read in the language that stands around them, in every kind of digits', () => {
  expect(said('٢١ و 21 و ۲۱')).toBe('bist o yek va bist o yek va bist o yek')
  expect(said('1,000 و ۱٬۰۰۰ و 3.5')).toBe('hezAr va hezAr va se momayyez panj')
  expect(said('۱۰۰۰۰۰۰۰۰۰۰۰۰۰۰۰')).toBe('hezAr tirilyArd')
  expect(said('دما -۵ درجه')).toBe('damA manfi panj daraje')
  expect(said('۱۴۰۳/۰۵/۱۲')).toBe('hezAr o cahArsad o se panj davAzdah')
  expect(said('It is 21')).toBe('it iz twenti w@n')
})

test('a Latin sentence is spoken by the rules of English, capitals are spelt', () => {
  expect(said('The machine can speak this text.')).toBe('D@ m@Sin kan spik Dis tekst')
  expect(said('PDF')).toBe('pidief')
})

test('a text of any letters is pronounced in time that grows with its length', async () => {
  for (const unit of [...units, '.', '۱٬', 'ّ', 'ا\u200c', 'می', 'A', '🙂', '-۱', 'متن ']) {
    const cost = (length: number) =>
      costOf(() => phrasesOf(unit.repeat(length / unit.length)).forEach(() => {}))
    await expectLinear(JSON.stringify(unit), cost, { from: 20_000, to: 80_000 })
  }
})
