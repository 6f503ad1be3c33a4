import { declareFailures, fail, type Localized } from '#platform/errors'
import { persian } from '#platform/words'

declare module '#platform/errors' {
  interface Failures {
    COLLECTION_NOT_FOUND: { name: string }
    COLLECTION_TAKEN: { name: string }
    COLLECTION_LIMIT: { max: number }
    ROW_NOT_FOUND: Record<string, never>
    ROW_TAKEN: Record<string, never>
    ROW_NOT_YOURS: Record<string, never>
    ROW_LIMIT: { max: number }
    ROW_BYTES_LIMIT: { max: number }
    ROW_TOO_LARGE: { max: number }
    ROW_INVALID: { why: Localized }
    ROW_QUERY: { why: Localized; sqlState: string }
    ROWS_BUSY: Record<string, never>
    ROWS_TIMEOUT: { seconds: number }
    ROWS_TOO_MANY: { max: number }
    ROWS_ANSWER_TOO_LARGE: { max: number }
  }
}

const kib = (bytes: number): number => Math.round(bytes / 1024)

declareFailures({
  COLLECTION_NOT_FOUND: {
    status: 404,
    en: ({ name }) =>
      `There is no collection ${name} here; GET /v1/cloud/{id}/database lists those there are, and the action create_collection makes one.`,
    fa: ({ name }) =>
      `مجموعهٔ ${name} اینجا نیست؛ GET /v1/cloud/{id}/database مجموعه‌های موجود را نشان می‌دهد و create_collection مجموعهٔ تازه می‌سازد.`,
  },
  COLLECTION_TAKEN: {
    status: 409,
    retry: false,
    en: ({ name }) => `This cloud has a collection ${name} already; use it, or choose another name.`,
    fa: ({ name }) => `این بک‌اند از پیش مجموعهٔ ${name} را دارد؛ همان را به کار ببرید یا نام دیگری برگزینید.`,
  },
  COLLECTION_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `This cloud has ${max} collections, as many as it may have; delete one first.`,
    fa: ({ max }) => `این بک‌اند ${persian(max)} مجموعه دارد که سقف آن است؛ نخست یکی را حذف کنید.`,
  },
  ROW_NOT_FOUND: {
    status: 404,
    en: () => 'There is no such row in this collection; list the collection to see those there are.',
    fa: () => 'چنین ردیفی در این مجموعه نیست؛ با list ردیف‌های موجود را ببینید.',
  },
  ROW_TAKEN: {
    status: 409,
    retry: false,
    en: () => 'A row with this id is there already; leave id out, or update that row.',
    fa: () => 'ردیفی با این id از پیش هست؛ id را ننویسید یا همان ردیف را به‌روز کنید.',
  },
  ROW_NOT_YOURS: {
    status: 403,
    retry: false,
    en: () => 'This row cannot be written by you: rows are changed by their owners only.',
    fa: () => 'شما نمی‌توانید این ردیف را بنویسید: هر ردیف را تنها صاحبش تغییر می‌دهد.',
  },
  ROW_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) => `This cloud may have ${max} rows in all; delete some first. Nothing was written.`,
    fa: ({ max }) =>
      `این بک‌اند روی هم حداکثر ${persian(max)} ردیف می‌تواند داشته باشد؛ نخست چند ردیف را حذف کنید. چیزی نوشته نشد.`,
  },
  ROW_BYTES_LIMIT: {
    status: 403,
    retry: false,
    en: ({ max }) =>
      `The rows of this cloud may have ${kib(max)} KiB in all; delete or shorten some first. Nothing was written.`,
    fa: ({ max }) =>
      `ردیف‌های این بک‌اند روی هم حداکثر ${persian(kib(max))} کیبی‌بایت می‌توانند باشند؛ نخست چند ردیف را حذف یا کوتاه کنید. چیزی نوشته نشد.`,
  },
  ROW_TOO_LARGE: {
    status: 400,
    en: ({ max }) =>
      `A row has at most ${kib(max)} KiB as JSON; shorten it, or store its large parts as files.`,
    fa: ({ max }) =>
      `هر ردیف به شکل JSON حداکثر ${persian(kib(max))} کیبی‌بایت است؛ آن را کوتاه کنید یا بخش‌های بزرگش را در فایل نگه دارید.`,
  },
  ROW_INVALID: {
    status: 400,
    en: ({ why }) => `The row cannot be stored: ${why.en}`,
    fa: ({ why }) => `این ردیف را نمی‌توان ذخیره کرد: ${why.fa}`,
  },
  ROW_QUERY: {
    status: 400,
    en: ({ why }) => `The query of rows was not understood: ${why.en}`,
    fa: ({ why }) => `پرسش ردیف‌ها پذیرفته نشد: ${why.fa}`,
  },
  ROWS_BUSY: {
    status: 429,
    en: () => 'Too many requests for the rows of this cloud are waiting; ask again in a second.',
    fa: () => 'درخواست‌های زیادی برای ردیف‌های این بک‌اند در صف است؛ یک ثانیهٔ دیگر دوباره بفرستید.',
  },
  ROWS_TIMEOUT: {
    status: 400,
    en: ({ seconds }) =>
      `This takes longer than ${seconds} seconds, so it was stopped and nothing was changed; ask for fewer rows, with simpler filters.`,
    fa: ({ seconds }) =>
      `این درخواست بیش از ${persian(seconds)} ثانیه طول می‌کشد، پس متوقف شد و چیزی تغییر نکرد؛ ردیف‌های کمتری را با فیلترهای ساده‌تر بخواهید.`,
  },
  ROWS_TOO_MANY: {
    status: 400,
    en: ({ max }) =>
      `A request writes at most ${max} rows, and this one would write more; narrow its filters or set a limit. Nothing was changed.`,
    fa: ({ max }) =>
      `هر درخواست حداکثر ${persian(max)} ردیف را می‌نویسد و این درخواست بیش از آن است؛ فیلترها را تنگ‌تر کنید یا limit بگذارید. چیزی تغییر نکرد.`,
  },
  ROWS_ANSWER_TOO_LARGE: {
    status: 400,
    en: ({ max }) =>
      `The answer would have more than ${kib(max)} KiB; ask for fewer rows or fewer fields. Nothing was changed.`,
    fa: ({ max }) =>
      `پاسخ بیش از ${persian(kib(max))} کیبی‌بایت می‌شود؛ ردیف‌ها یا فیلدهای کمتری بخواهید. چیزی تغییر نکرد.`,
  },
})

/** Why a row is refused. */
export const rowReasons = {
  notObject: { en: 'it has to be a JSON object.', fa: 'باید یک شیء JSON باشد.' },
  reserved: (name: string): Localized => ({
    en: `${name} is set by the platform; leave it out.`,
    fa: `${name} را خود سکو تعیین می‌کند؛ آن را ننویسید.`,
  }),
  tooDeep: (max: number): Localized => ({
    en: `objects and arrays stand in one another more than ${max} deep.`,
    fa: `شیءها و آرایه‌ها بیش از ${persian(max)} لایه در هم فرو رفته‌اند.`,
  }),
  tooMany: (max: number): Localized => ({
    en: `it has more than ${max} fields.`,
    fa: `بیش از ${persian(max)} فیلد دارد.`,
  }),
  badName: (max: number): Localized => ({
    en: `names of fields have 1 to ${max} characters.`,
    fa: `نام هر فیلد از ۱ تا ${persian(max)} کاراکتر است.`,
  }),
  longNumber: (max: number): Localized => ({
    en: `a number in it has more than ${max} digits when it is written out.`,
    fa: `عددی در آن وقتی کامل نوشته شود بیش از ${persian(max)} رقم دارد.`,
  }),
  badText: {
    en: 'a text in it contains NUL or half a character (a lone surrogate).',
    fa: 'متنی در آن کاراکتر NUL یا نیمهٔ یک کاراکتر دارد.',
  },
  badId: {
    en: 'id has to be a UUID, such as one of crypto.randomUUID().',
    fa: 'id باید UUID باشد، مانند آنچه crypto.randomUUID() می‌سازد.',
  },
}

const excerptOf = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

const queryReasons = {
  notUuid: {
    sqlState: '22P02',
    why: (text: string): Localized => ({
      en: `invalid input syntax for type uuid: ${excerptOf(text)}`,
      fa: `${excerptOf(text)} یک UUID نیست.`,
    }),
  },
  notTime: {
    sqlState: '22007',
    why: (text: string): Localized => ({
      en: `invalid input syntax for type timestamp with time zone: ${excerptOf(text)}; write it as 2026-11-26T10:00:00Z.`,
      fa: `${excerptOf(text)} زمان نیست؛ آن را مانند 2026-11-26T10:00:00Z بنویسید.`,
    }),
  },
  pattern: {
    sqlState: '22025',
    why: (): Localized => ({
      en: 'A pattern must not end with a backslash.',
      fa: 'الگو نباید با بک‌اسلش تمام شود.',
    }),
  },
  noSuchComparison: {
    sqlState: '42883',
    why: (column: string): Localized => ({
      en: `The column ${column} cannot be compared in this way.`,
      fa: `ستون ${column} را نمی‌توان این‌گونه مقایسه کرد.`,
    }),
  },
} as const

/** Throws ROW_QUERY with PostgreSQL's code for the reason. */
export function refuseQuery(reason: keyof typeof queryReasons, text: string): never {
  const { sqlState, why } = queryReasons[reason]
  return fail('ROW_QUERY', { why: why(text), sqlState })
}

/** Errors of PostgreSQL that a value of the caller causes, where no check of ours comes before. */
const valueErrors: Record<string, Localized> = {
  '42601': {
    en: 'The search is written in a form that cannot be read; join words with & or |, or use the types plain or websearch.',
    fa: 'عبارت جست‌وجو خوانده نمی‌شود؛ واژه‌ها را با & یا | به هم بپیوندید یا نوع plain یا websearch را به کار ببرید.',
  },
  '54001': {
    en: 'This is nested too deeply to be read.',
    fa: 'این عبارت بیش از اندازه تودرتو است.',
  },
}
const castError: Localized = {
  en: 'A stored value cannot be read as the type that was asked for, or a literal cannot.',
  fa: 'یک مقدار ذخیره‌شده یا نوشته‌شده به نوع خواسته‌شده خوانده نمی‌شود.',
}

export const valueError = (sqlState: string): Localized | undefined =>
  valueErrors[sqlState] ?? (sqlState.startsWith('22') ? castError : undefined)
