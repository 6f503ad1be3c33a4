import type { Language, Localized } from '#platform/errors'
import type { Fault } from './compile-process.ts'
import { nodeModules } from './packages.ts'

/** Sentences repeat what a developer wrote, up to this length. */
const maxShownLength = 100
const excerptOf = (text: string): string =>
  text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text

type FaultSentences = {
  [Kind in Fault['kind']]: (fault: Extract<Fault, { kind: Kind }>, allowed: Localized) => Localized
}

const ofFaults: FaultSentences = {
  syntax: ({ message }) => ({ en: `${excerptOf(message)}.`, fa: `خطای نحوی: ${excerptOf(message)}` }),
  typescript: () => ({
    en: 'This is TypeScript, which dedicated back-ends run; Starter runs JavaScript. Send what your compiler makes of it, or take the types out.',
    fa: 'این کد TypeScript است که بک‌اند اختصاصی اجرا می‌کند؛ Starter جاوااسکریپت اجرا می‌کند. خروجی کامپایلر خود را بفرستید یا نوع‌ها را بردارید.',
  }),
  dynamic: ({ specifier }) => ({
    en: `Nothing can be imported while it runs${specifier === undefined ? '' : `, and so not "${excerptOf(specifier)}"`}; write an import with a fixed name at the top.`,
    fa: `هنگام اجرا نمی‌توان چیزی را import کرد${specifier === undefined ? '' : `، پس «${excerptOf(specifier)}» را هم نه`}؛ import را با نامی ثابت بالای کد بنویسید.`,
  }),
  require: () => ({
    en: 'There is no require; write an import at the top.',
    fa: 'require در کار نیست؛ بالای کد import بنویسید.',
  }),
  attributes: () => ({
    en: 'Imports take no attributes (`with`); write such data into the code.',
    fa: 'import ویژگی (`with`) نمی‌پذیرد؛ چنین داده‌ای را در خود کد بنویسید.',
  }),
  heavy: () => ({
    en: 'It could not be compiled within the limits of time and memory; nest less deeply, or send less generated code.',
    fa: 'در حد زمان و حافظه کامپایل نشد؛ تودرتویی را کم کنید یا کد تولیدشدهٔ کمتری بفرستید.',
  }),
  file: ({ specifier }) => ({
    en: `A function is one file, so "${excerptOf(specifier)}" is not there; put its code into this one.`,
    fa: `هر تابع یک فایل است و «${excerptOf(specifier)}» وجود ندارد؛ کد آن را در همین فایل بگذارید.`,
  }),
  node: ({ specifier }) => ({
    en: `"${excerptOf(specifier)}" is not there: a function has no processes, threads and servers. Of Node it may import ${nodeNames('en')}.`,
    fa: `«${excerptOf(specifier)}» وجود ندارد: تابع پردازه و thread و سرور ندارد. از ماژول‌های Node این‌ها را می‌تواند import کند: ${nodeNames('fa')}.`,
  }),
  url: ({ specifier }, allowed) => ({
    en: `Nothing is loaded from "${excerptOf(specifier)}". Functions may import ${allowed.en}, also as npm:, jsr: or https://esm.sh/.`,
    fa: `چیزی از «${excerptOf(specifier)}» بار نمی‌شود. تابع‌ها می‌توانند ${allowed.fa} را import کنند، به شکل npm: و jsr: و https://esm.sh/ هم.`,
  }),
  other: ({ specifier }, allowed) => ({
    en: `"${excerptOf(specifier)}" cannot be imported. Functions may import ${allowed.en}; copy what you need of others into the code.`,
    fa: `«${excerptOf(specifier)}» را نمی‌توان import کرد. تابع‌ها می‌توانند ${allowed.fa} را import کنند؛ از بستهٔ دیگر هرچه لازم دارید در خود کد بگذارید.`,
  }),
  absent: ({ specifier }) => ({
    en: `The operator of this platform lists "${excerptOf(specifier)}" and has not installed it yet (kherad functions packages install); ask them.`,
    fa: `گردانندهٔ این سکو «${excerptOf(specifier)}» را در فهرست دارد ولی هنوز نصبش نکرده است (kherad functions packages install)؛ از او بخواهید.`,
  }),
  part: ({ specifier }) => ({
    en: `The package has no part of the name "${excerptOf(specifier)}".`,
    fa: `این بسته بخشی به نام «${excerptOf(specifier)}» ندارد.`,
  }),
  runtime: ({ specifier }) => ({
    en: `"${excerptOf(specifier)}" is made for another runtime and does not work in a function.`,
    fa: `«${excerptOf(specifier)}» برای محیط اجرای دیگری ساخته شده است و در تابع کار نمی‌کند.`,
  }),
  version: ({ specifier, installed }) => ({
    en: `"${excerptOf(specifier)}" names another version; this platform has ${installed}. Write no version, or only ${major(installed)}.`,
    fa: `«${excerptOf(specifier)}» نسخهٔ دیگری را می‌خواهد؛ این سکو ${installed} دارد. نسخه را ننویسید یا فقط ${major(installed)} بنویسید.`,
  }),
}

/** Modules of Node without the parts of their names behind a slash, which stand for themselves. */
const nodeNames = (language: Language): string =>
  nodeModules.filter((name) => !name.includes('/')).join(language === 'fa' ? '، ' : ', ')

const major = (version: string): string => version.split('.')[0]!

/** What is wrong with the code, and what to do about it; `allowed`: the packages that functions may import. */
export const faultSentence = (fault: Fault, allowed: readonly string[]): Localized =>
  ofFaults[fault.kind](fault as never, { en: allowed.join(', '), fa: allowed.join('، ') })

/** The sentence for an error of the function's own code when it was started. */
export const bootSentence = (message: string): Localized => ({
  en: `it does not start: ${excerptOf(message)}`,
  fa: `اجرا نشد: ${excerptOf(message)}`,
})

export const sentences = {
  tooLarge: {
    en: 'With its packages it is larger than 4 MB.',
    fa: 'همراه بسته‌هایش از ۴ مگابایت بزرگ‌تر است.',
  },
}
