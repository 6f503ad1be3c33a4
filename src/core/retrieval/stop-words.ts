import { normalise } from './normalise.ts'
import { stemOf } from './stem.ts'

/** Stop words: words that occur in every text and question. */
const persian = `
  و در به از که این آن را با است برای تا هم یا اما اگر چه چی چیست چرا چطور چگونه چقدر چند چندتا کدام کجا کجاست کی کیست آیا بر هر همه هیچ
  یک نیز ولی بود باشد شد شود می نمی کرد کند کنم کنیم کنید کنند کرده شده دارد دارم داریم دارند داشت باید بین روی زیر درباره مورد خود
  من تو او ما شما آنها ایشان اینکه آنکه هستند هست نیست بودن شدن کردن دیگر بعد قبل وقتی میشود میکند میکنم میکنیم میکنند میتوان میتواند
  میتوانم نمیشود نمیکند چیزی کسی لطفا بگو بگویید مثل بدون طبق`
const english = `
  a an the and or but if of in on at to for from by with about as is are was were be been being do does did have has had it its this that
  these those i you he she we they me my your our their what which who whom whose when where why how can could should would will may
  there than then so not no into over under between please tell`

export const stopWords: ReadonlySet<string> = new Set(
  `${persian} ${english}`
    .trim()
    .split(/\s+/)
    .flatMap((word) => [normalise(word), stemOf(normalise(word))]),
)
