import { declareFailures, type Localized } from '#platform/errors'
import { persian, persianDigits } from '#platform/words'

interface QueryPosition {
  line: number
  column: number
}

declare module '#platform/errors' {
  interface Failures {
    CONFIRM_WRITE_REQUIRED: Record<string, never>
    SQL_REFUSED: { why: Localized } & Partial<QueryPosition>
    SQL_FAILED: {
      message: string
      sqlState: string
      hint?: string | undefined
      rolledBack: boolean
    } & Partial<QueryPosition>
    SQL_TIMEOUT: { seconds: number; rolledBack: boolean }
    SQL_ANSWER_TOO_LARGE: { mebibytes: number; rolledBack: boolean }
    SQL_BUSY: Record<string, never>
    SQL_OUTCOME_UNKNOWN: Record<string, never>
    SQL_DATABASE_LOST: Record<string, never>
  }
}

const placeEn = ({ line, column }: Partial<QueryPosition>): string =>
  line === undefined || column === undefined ? '' : ` (line ${line}, column ${column})`
const placeFa = ({ line, column }: Partial<QueryPosition>): string =>
  line === undefined || column === undefined
    ? ''
    : ` (خط ${persianDigits(line)}، ستون ${persianDigits(column)})`

/** The SQLSTATE of a statement that does not run in a transaction. */
export const activeTransactionState = '25001'
/** The SQLSTATE of a statement that writes where nothing may be written. */
const readOnlyState = '25006'

/** What to do, by SQLSTATE. */
const advice: Record<string, Localized> = {
  [activeTransactionState]: {
    en: 'Send this statement alone, as the whole query: then it runs outside of a transaction.',
    fa: 'این دستور را جداگانه بفرستید تا بیرون از تراکنش اجرا شود.',
  },
  [readOnlyState]: {
    en: 'To write, send read_only: false with confirm_write: true (kherad cloud sql: --write).',
    fa: 'برای نوشتن read_only: false را با confirm_write: true بفرستید (در kherad cloud sql با ‎--write).',
  },
}
const otherAdvice: Localized = {
  en: 'Correct the query and send it again.',
  fa: 'پرس‌وجو را درست کنید و دوباره بفرستید.',
}

declareFailures({
  CONFIRM_WRITE_REQUIRED: {
    status: 400,
    en: () =>
      'With read_only: false this can change or delete data for good; send confirm_write: true beside it if that is wanted. Nothing was run.',
    fa: () =>
      'با read_only: false این پرس‌وجو می‌تواند داده را برای همیشه تغییر دهد یا پاک کند؛ اگر همین را می‌خواهید confirm_write: true را هم بفرستید. چیزی اجرا نشد.',
  },
  SQL_REFUSED: {
    status: 400,
    en: ({ why, ...place }) => `Nothing was run${placeEn(place)}: ${why.en}`,
    fa: ({ why, ...place }) => `چیزی اجرا نشد${placeFa(place)}: ${why.fa}`,
  },
  SQL_FAILED: {
    status: 400,
    en: (detail) =>
      `PostgreSQL says${placeEn(detail)}: ${detail.message} [${detail.sqlState}]${detail.hint === undefined ? '' : ` Hint: ${detail.hint}`} ${detail.rolledBack ? 'Nothing was changed.' : 'It ran outside of a transaction: check what is left of it.'} ${(advice[detail.sqlState] ?? otherAdvice).en}`,
    fa: (detail) =>
      `PostgreSQL می‌گوید${placeFa(detail)}: ${detail.message} [${detail.sqlState}]${detail.hint === undefined ? '' : ` راهنمایی: ${detail.hint}`} ${detail.rolledBack ? 'چیزی تغییر نکرد.' : 'بیرون از تراکنش اجرا شد: ببینید چه از آن مانده است.'} ${(advice[detail.sqlState] ?? otherAdvice).fa}`,
  },
  SQL_TIMEOUT: {
    status: 400,
    en: ({ seconds, rolledBack }) =>
      `The query ran longer than ${seconds} seconds and was stopped; ${rolledBack ? 'nothing was changed.' : 'check what is left of it.'} Ask for less, do it in smaller parts, or make an index.`,
    fa: ({ seconds, rolledBack }) =>
      `پرس‌وجو بیش از ${persian(seconds)} ثانیه طول کشید و متوقف شد؛ ${rolledBack ? 'چیزی تغییر نکرد.' : 'ببینید چه از آن مانده است.'} کمتر بخواهید، در بخش‌های کوچک‌تر انجام دهید یا شاخص بسازید.`,
  },
  SQL_ANSWER_TOO_LARGE: {
    status: 400,
    en: ({ mebibytes, rolledBack }) =>
      `The query answers or prints more than ${mebibytes} MiB, so it was stopped; ${rolledBack ? 'nothing was changed.' : 'check what is left of it.'} Select fewer rows or shorter values.`,
    fa: ({ mebibytes, rolledBack }) =>
      `پاسخ یا پیام‌های این پرس‌وجو بیش از ${persian(mebibytes)} مبی‌بایت است، پس متوقف شد؛ ${rolledBack ? 'چیزی تغییر نکرد.' : 'ببینید چه از آن مانده است.'} ردیف‌های کمتر یا مقدارهای کوتاه‌تری بخواهید.`,
  },
  SQL_BUSY: {
    status: 429,
    en: () => 'Several queries of this cloud are running already; send it again in a moment.',
    fa: () => 'چند پرس‌وجوی این بک‌اند هم‌اکنون در حال اجراست؛ اندکی دیگر دوباره بفرستید.',
  },
  SQL_OUTCOME_UNKNOWN: {
    status: 503,
    retry: false,
    en: () =>
      'The connection to the database ended while the changes were being stored, so they may be there or not; look before you send them again.',
    fa: () =>
      'ارتباط با پایگاه داده هنگام ذخیرهٔ تغییرها قطع شد، پس شاید انجام شده باشند و شاید نه؛ پیش از فرستادن دوباره نگاه کنید.',
  },
  SQL_DATABASE_LOST: {
    status: 503,
    en: () =>
      'The database ended the connection before the query was done, and nothing was changed; it may have needed more memory or more of the disk than there is. Send it again in a few seconds, or make it smaller.',
    fa: () =>
      'پایگاه داده پیش از پایان پرس‌وجو ارتباط را بست و چیزی تغییر نکرد؛ شاید بیش از آنچه هست حافظه یا جای دیسک می‌خواست. چند ثانیهٔ دیگر دوباره بفرستید یا کوچک‌ترش کنید.',
  },
})

export const refusals = {
  empty: { en: 'the query has no statement.', fa: 'پرس‌وجو هیچ دستوری ندارد.' },
  oneStatement: {
    en: 'reading takes exactly one statement; send the others by themselves, or send read_only: false with confirm_write: true.',
    fa: 'خواندن تنها یک دستور می‌پذیرد؛ بقیه را جداگانه بفرستید، یا read_only: false را با confirm_write: true بفرستید.',
  },
  nul: { en: 'SQL cannot hold the character U+0000.', fa: 'SQL کاراکتر U+0000 را نمی‌پذیرد.' },
  halfCharacter: {
    en: 'the query holds half of a character (an unpaired surrogate).',
    fa: 'پرس‌وجو نیمی از یک کاراکتر را دارد (surrogate تنها).',
  },
  backslash: {
    en: 'commands with a backslash belong to psql; send SQL only.',
    fa: 'دستورهایی که با \\ آغاز می‌شوند از آنِ psql است؛ تنها SQL بفرستید.',
  },
  transaction: (word: string): Localized => ({
    en: `${word} is not for a script: all of it is one transaction already, and commits at its end. Leave it out.`,
    fa: `${word} در اسکریپت نمی‌آید: همهٔ آن خود یک تراکنش است که در پایان ثبت می‌شود. آن را ننویسید.`,
  }),
  copy: {
    en: 'COPY with STDIN or STDOUT needs a connection of its own; use INSERT and SELECT.',
    fa: 'دستور COPY با STDIN یا STDOUT ارتباطی از آنِ خود می‌خواهد؛ INSERT و SELECT را به کار ببرید.',
  },
}

export const openSentences: Record<'string' | 'name' | 'dollar' | 'comment', Localized> = {
  string: { en: 'this string has no end.', fa: 'این رشته پایان ندارد.' },
  name: { en: 'this quoted name has no end.', fa: 'این نام در گیومه پایان ندارد.' },
  dollar: { en: 'this dollar-quoted text has no end.', fa: 'این متن میان $…$ پایان ندارد.' },
  comment: { en: 'this comment has no end.', fa: 'این توضیح پایان ندارد.' },
}
