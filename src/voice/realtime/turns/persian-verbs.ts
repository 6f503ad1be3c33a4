/** The forms of Persian verbs, written and colloquial, without half-spaces. They are made from stems once, so that each word costs one look-up. */

/**
 * `finite`: a clause may end with it. `wish`: a subjunctive with its person ("بروم"), which may belong to the verb before it. `order`: an imperative.
 * `participle`: ends a clause in speech ("رفته"), or is followed by an auxiliary.
 */
export type VerbMood = 'finite' | 'wish' | 'order' | 'participle'

export interface VerbForm {
  mood: VerbMood
  /** The written past stem of the verb, as in the table. */
  verb: string
  isNegative: boolean
  isPresent: boolean
}

/** Past stems / present stems; in both the written one first, then the colloquial ones. */
const table = `
کرد/کن شد/شو,ش بود/باش داشت/دار رفت/رو,ر آمد,اومد/آی,آ,ای,ا گفت/گوی,گو,گ داد/ده,د زد/زن گرفت/گیر خورد/خور آورد,اورد/آور,اور,آر,ار
خواست/خواه,خوا دانست,دونست/دان,دون توانست,تونست/توان,تون دید/بین شنید/شنو شناخت/شناس فهمید/فهم پرسید/پرس خواند,خوند/خوان,خون نوشت/نویس
خرید/خر فروخت/فروش گذاشت,ذاشت/گذار,ذار برد/بر ماند,موند/مان,مون نشست/نشین,شین ایستاد,وایساد,وایستاد/ایست,وایس,وایست خوابید/خواب افتاد/افت,فت انداخت,نداخت/انداز,نداز
فرستاد/فرست رسید/رس رساند,رسوند/رسان,رسون کشید/کش شکست/شکن بست/بند ساخت/ساز سوخت/سوز پخت/پز ریخت/ریز گشت/گرد برگشت/برگرد گذشت/گذر گردید/گرد
نمود/نما,نمای یافت/یاب پذیرفت/پذیر پوشید/پوش پرید/پر پیچید/پیچ ترسید/ترس چرخید/چرخ چسبید/چسب خندید/خند دزدید/دزد دوید/دو رقصید/رقص
زایید/زا شست/شور,شوی فرمود/فرما,فرمای کوبید/کوب کند/کن گریست/گری لرزید/لرز مرد/میر نگریست/نگر ورزید/ورز آموخت/آموز آزمود/آزما افزود/افزا,افزای
بخشید/بخش باخت/باز بارید/بار برداشت/بردار پرداخت/پرداز پسندید/پسند تابید/تاب تراشید/تراش جنگید/جنگ جوشید/جوش چید/چین
خراشید/خراش درآمد/درآی دوخت/دوز سپرد/سپار سنجید/سنج شمرد/شمار,شمر شتافت/شتاب طلبید/طلب غلتید/غلت فشرد/فشار کاست/کاه کاشت/کار گنجید/گنج
گریخت/گریز گسترد/گستر مالید/مال مکید/مک نامید/نام نوشید/نوش وزید/وز چرید/چر چشید/چش پاشید/پاش پرورد/پرور لنگید/لنگ ترکید/ترک
برخورد/برخور درآورد,دراورد/درآور,درار,درآر برآورد/برآور گرداند,گردوند/گردان,گردون چرخاند,چرخوند/چرخان,چرخون
ترساند,ترسوند/ترسان,ترسون سوزاند,سوزوند/سوزان,سوزون پوشاند,پوشوند/پوشان,پوشون خواباند,خوابوند/خوابان,خوابون نشاند,نشوند/نشان,نشون
پیچاند,پیچوند/پیچان,پیچون گذراند,گذروند/گذران,گذرون برگرداند,برگردوند/برگردان,برگردون کشاند,کشوند/کشان,کشون فهماند,فهموند/فهمان,فهمون
شکاند,شکوند/شکان,شکون ترکاند,ترکوند/ترکان,ترکون پراند,پروند/پران,پرون تپید/تپ لغزید/لغز خزید/خز خرامید/خرام جهید/جه جست/جو,جوی گزید/گزین
آفرید/آفرین آلود/آلای آمیخت/آمیز آویخت/آویز ارزید/ارز انگیخت/انگیز اندیشید/اندیش رنجید/رنج روبید/روب رویید/روی زیست/زی ستود/ستا شایست/شا
`

/** Forms that are at least as often a noun or another word: none counts as a verb by itself. */
const homographs = new Set(
  `مردم مردی بدون برند بدهی برنج شون شن شین شم شی شند خرید پخت شناخت ساخت دید نشست شکست گذشت پرداخت دریافت برداشت سوخت یافت باخت برد مرد کند خواست رسید کاشت دوخت جست شست زیست شایست بست درآمد
  برخورد برآورد بسته گذشته خواسته پخته دوخته برآورده برداشته کشیده مرده شکسته شمرده برده بدن بدان بیان نرم نام نان نار نادان ناکام بند نماز نما بار
  باز بنده بران باران نشان نشین بخش ببر بپر بجنگ بتاب بچین بسوز نظر نمایی نمایه ندید نکات نگار نگران نگر نشا نشر نرخ نوش نوشی بشر بور بنام
  بکار نکار نیام نیای ناز نازی بازی بازه بانی بستنی بندی باری باره بارها بهار نادر نوری نوردی نجات نیافت بیاب نیاز بکر دهم دهه دهن دهین`.split(
    /\s+/,
  ),
)
const pastEndings = ['', 'م', 'ی', 'یم', 'ید', 'ین', 'ند']
const perfectEndings = ['ام', 'ای', 'ایم', 'اید', 'اند', 'است']
const presentEndings = ['م', 'ی', 'د', 'ه', 'یم', 'ید', 'ین', 'ند', 'ن']
/** Stems of compound verbs, which go without "ب": "پیدا کنم", "حرف زنی". */
const prefixless = new Set(['کن', 'شو', 'ش', 'باش', 'دار', 'ده'])

/** Stems that keep their first letter after a prefix ("بیاور"); others lose it ("بیفتد"). */
const keepingAlef = new Set(['ا', 'ای', 'اور', 'ار', 'اورد'])

/** The stem after the prefix "ن" or "ب", which changes before a vowel, but not before "ایست" ("بایست"). */
function prefixed(prefix: string, stem: string): string {
  if (stem.startsWith('آ')) return `${prefix}یا${stem.slice(1)}`
  if (!stem.startsWith('ا') || stem.startsWith('ایست')) return prefix + stem
  return keepingAlef.has(stem) ? `${prefix}ی${stem}` : `${prefix}ی${stem.slice(1)}`
}

function makeVerbForms(): Map<string, VerbForm> {
  const forms = new Map<string, VerbForm>()
  const put = (form: string, of: VerbForm): void => {
    if (!homographs.has(form) && !forms.has(form)) forms.set(form, of)
  }
  for (const entry of table.trim().split(/\s+/)) {
    const [past, present] = entry.split('/').map((stems) => stems.split(',')) as [string[], string[]]
    const verb = past[0]!
    for (const stem of past) putPast(stem, verb, put)
    for (const stem of present) putPresent(stem, verb, put)
  }
  for (const [form, verb] of irregular)
    put(form, { mood: 'order', verb, isNegative: form.startsWith('ن') && verb !== 'نشست', isPresent: true })
  return forms
}

const irregular: [string, string][] = [
  ['برو', 'رفت'],
  ['نرو', 'رفت'],
  ['بیا', 'آمد'],
  ['بده', 'داد'],
  ['نده', 'داد'],
  ['بشین', 'نشست'],
  ['بشینید', 'نشست'],
  ['وایسا', 'ایستاد'],
  ['وایستا', 'ایستاد'],
  ['وایسین', 'ایستاد'],
  ['کن', 'کرد'],
  ['باش', 'بود'],
  ['شو', 'شد'],
  ['بفرمایید', 'فرمود'],
  ['بفرمایین', 'فرمود'],
]

type PutForm = (form: string, of: VerbForm) => void

function putPast(stem: string, verb: string, put: PutForm): void {
  const of = (isNegative: boolean) => ({ mood: 'finite' as const, verb, isNegative, isPresent: false })
  for (const ending of [...pastEndings, 'ن']) {
    put(`می${stem}${ending}`, of(false))
    put(`نمی${stem}${ending}`, of(true))
    // Without "می", "رفتن" is the infinitive far more often than "they went".
    if (ending === 'ن') continue
    put(stem + ending, of(false))
    put(prefixed('ن', stem) + ending, of(true))
  }
  for (const isNegative of [false, true]) {
    const participle = `${isNegative ? prefixed('ن', stem) : stem}ه`
    for (const ending of perfectEndings) put(participle + ending, of(isNegative))
    put(participle, { ...of(isNegative), mood: 'participle' })
  }
}

function putPresent(stem: string, verb: string, put: PutForm): void {
  const of = (mood: VerbMood, isNegative: boolean) => ({ mood, verb, isNegative, isPresent: true })
  for (const ending of presentEndings) {
    const form = stem + ending
    put(`می${form}`, of('finite', false))
    put(`نمی${form}`, of('finite', true))
    if (prefixless.has(stem)) put(form, of(verb === 'داشت' ? 'finite' : 'wish', false))
    put(prefixed('ب', stem) + ending, of('wish', false))
    put(prefixed('ن', stem) + ending, of(verb === 'داشت' ? 'finite' : 'wish', true))
  }
  // A stem of one letter makes no imperative.
  if (stem.length < 2 || verb === 'داشت') return
  put(prefixed('ب', stem), of('order', false))
  put(prefixed('ن', stem), of('order', true))
}

/** All known forms, by their spelling. */
export const verbForms: ReadonlyMap<string, VerbForm> = makeVerbForms()
