/** Refusals of this area, for collections and tables alike, and failures of the platform in its format. */
import { queryLimits } from '#cloud/collections'
import { excerptOf, type Refusal } from '#cloud/tables'
import type { Failure, Language, Localized } from '#platform/errors'
import { declarationOf } from '#platform/errors'
import { persian } from '#platform/words'
import type { AppReply } from '../area.ts'

export const refusalReply = (
  { status, code, message, details, hint }: Refusal,
  language: Language,
): AppReply => ({
  status,
  body: {
    code,
    message: message[language],
    details: (details && 'en' in details ? details[language] : details) ?? null,
    hint: hint?.[language] ?? null,
  },
})

/** Why collections refuse a query that could be parsed. */
export const queryReasons = {
  contained: {
    en: 'it takes an array as {a,b}, JSON as {"a":1} or [1], or a range as [1,5).',
    fa: 'آرایه را به شکل {a,b}، JSON را به شکل {"a":1} یا [1] و بازه را به شکل [1,5) بنویسید.',
  },
  range: {
    en: 'a range is written as [1,5) or (2026-01-01,2026-02-01].',
    fa: 'بازه به شکل [1,5) یا (2026-01-01,2026-02-01] نوشته می‌شود.',
  },
  field: {
    en: 'a field is a name, with -> or ->> before names within it, such as address->city or address->>city.',
    fa: 'فیلد یک نام است و نام‌های درون آن پس از -> یا ->> می‌آیند، مانند address->city یا address->>city.',
  },
  columnPath: {
    en: 'id, owner_id, created_at and updated_at have nothing within them.',
    fa: 'در id و owner_id و created_at و updated_at چیزی نیست که نام برده شود.',
  },
  search: {
    en: 'this language of text search is not known; leave it out, or use simple.',
    fa: 'این زبان برای جست‌وجوی متن شناخته نیست؛ آن را ننویسید یا simple را به کار ببرید.',
  },
  cast: {
    en: 'this cast is not known; there are text, json, numeric, float8, int8, int4, bool, uuid, date and timestamptz.',
    fa: 'این تبدیل نوع شناخته نیست؛ text و json و numeric و float8 و int8 و int4 و bool و uuid و date و timestamptz هستند.',
  },
  conditions: {
    en: `a request has at most ${queryLimits.conditions} filters.`,
    fa: `هر درخواست حداکثر ${persian(queryLimits.conditions)} فیلتر دارد.`,
  },
  values: {
    en: `a list has at most ${queryLimits.values} values, an array of contains at most 100.`,
    fa: `هر فهرست حداکثر ${persian(queryLimits.values)} مقدار دارد و آرایهٔ contains حداکثر ${persian(100)}.`,
  },
  pattern: {
    en: `a pattern has at most ${queryLimits.patternCharacters} characters.`,
    fa: `هر الگو حداکثر ${persian(queryLimits.patternCharacters)} کاراکتر دارد.`,
  },
  many: {
    en: `at most ${queryLimits.selected} fields are selected, and rows are ordered by at most ${queryLimits.orders}.`,
    fa: `حداکثر ${persian(queryLimits.selected)} فیلد انتخاب می‌شود و ردیف‌ها حداکثر با ${persian(queryLimits.orders)} فیلد مرتب می‌شوند.`,
  },
} as const satisfies Record<string, Localized>

export const refusals = {
  regex: {
    status: 400,
    code: '0A000',
    message: {
      en: 'Regular expressions (match, imatch) are not offered here; use like or ilike.',
      fa: 'عبارت‌های منظم (match و imatch) اینجا در دسترس نیستند؛ like یا ilike را به کار ببرید.',
    },
  },
  rpc: (name: string): Refusal => ({
    status: 404,
    code: 'PGRST202',
    message: {
      en: `There is no database function "${excerptOf(name)}": a Starter cloud has none. Deploy a function of the cloud and call it by functions.invoke.`,
      fa: `تابع پایگاه دادهٔ «${excerptOf(name)}» نیست: بک‌اند Starter چنین تابعی ندارد. تابعی در بک‌اند بگذارید و با functions.invoke صدایش بزنید.`,
    },
  }),
  embed: (name: string): Refusal => ({
    status: 400,
    code: 'PGRST200',
    message: {
      en: `Collections of a Starter cloud have no relationships, so "${excerptOf(name)}" cannot be embedded; read it with a request of its own.`,
      fa: `مجموعه‌های بک‌اند Starter با هم رابطه ندارند و «${excerptOf(name)}» را نمی‌توان در پاسخ گنجاند؛ آن را با درخواستی جدا بخوانید.`,
    },
  }),
  schema: (name: string): Refusal => ({
    status: 406,
    code: 'PGRST106',
    message: {
      en: `Invalid schema: ${excerptOf(name)}. Only the schema public is exposed.`,
      fa: `شِمای ${excerptOf(name)} نیست؛ تنها public در دسترس است.`,
    },
  }),
  mediaType: (types: string): Refusal => ({
    status: 406,
    code: 'PGRST107',
    message: {
      en: `None of these media types are available: ${excerptOf(types)}. There are application/json, application/vnd.pgrst.object+json and text/csv.`,
      fa: `هیچ‌یک از این قالب‌ها در دسترس نیست: ${excerptOf(types)}. قالب‌های موجود: application/json و application/vnd.pgrst.object+json و text/csv.`,
    },
  }),
  single: (rows: number): Refusal => ({
    status: 406,
    code: 'PGRST116',
    message: {
      en: 'Cannot coerce the result to a single JSON object',
      fa: 'پاسخ دقیقاً یک ردیف نیست و نمی‌توان آن را یک شیء JSON کرد',
    },
    details: { en: `The result contains ${rows} rows`, fa: `پاسخ ${persian(rows)} ردیف دارد` },
  }),
  range: (offset: number, total: number): Refusal => ({
    status: 416,
    code: 'PGRST103',
    message: { en: 'Requested range not satisfiable', fa: 'بازهٔ خواسته‌شده در میان ردیف‌ها نیست' },
    details: {
      en: `An offset of ${offset} was requested, but there are only ${total} rows.`,
      fa: `از ردیف ${persian(offset)} به بعد خواسته شد، ولی تنها ${persian(total)} ردیف هست.`,
    },
  }),
  rangeBackwards: {
    status: 416,
    code: 'PGRST103',
    message: { en: 'Requested range not satisfiable', fa: 'بازهٔ خواسته‌شده در میان ردیف‌ها نیست' },
    details: {
      en: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
      fa: 'در هدر Range آغاز بازه نباید پس از پایان آن باشد.',
    },
  },
  preference: (names: string): Refusal => ({
    status: 400,
    code: 'PGRST122',
    message: {
      en: 'Invalid preferences given with handling=strict',
      fa: 'با handling=strict ترجیحی آمده که شناخته نیست',
    },
    details: { en: `Invalid preferences: ${excerptOf(names)}`, fa: `ترجیح‌های ناشناخته: ${excerptOf(names)}` },
  }),
  maxAffected: (rows: number): Refusal => ({
    status: 400,
    code: 'PGRST124',
    message: {
      en: 'Query result exceeds max-affected preference constraint',
      fa: 'شمار ردیف‌های این درخواست از max-affected بیشتر است',
    },
    details: { en: `The query affects ${rows} rows`, fa: `این درخواست ${persian(rows)} ردیف را تغییر می‌دهد` },
  }),
  conflictTarget: {
    status: 400,
    code: '42P10',
    message: {
      en: 'Only id is unique in a collection: on_conflict has to be id, or to be left out.',
      fa: 'در هر مجموعه تنها id یکتاست: on_conflict باید id باشد یا نوشته نشود.',
    },
  },
  twice: {
    status: 400,
    code: '21000',
    message: {
      en: 'Two rows of this request have the same id.',
      fa: 'دو ردیف این درخواست id یکسان دارند.',
    },
  },
  body: {
    status: 400,
    code: 'PGRST102',
    message: {
      en: 'The body has to be a JSON object, or for an insert an array of objects.',
      fa: 'بدنه باید یک شیء JSON باشد، یا برای درج آرایه‌ای از شیءها.',
    },
  },
  rowsTooLarge: (max: number): Refusal => ({
    status: 400,
    code: '54000',
    message: {
      en: `The rows of a request have at most ${max / 1024 / 1024} MiB together as JSON, with the fields that columns names in each of them; send fewer rows at once.`,
      fa: `ردیف‌های هر درخواست روی هم حداکثر ${persian(max / 1024 / 1024)} مبی‌بایت JSON هستند، همراه فیلدهایی که columns برای هر ردیف نام می‌برد؛ هر بار ردیف‌های کمتری بفرستید.`,
    },
  }),
  /** `more`: a method that is offered beside those of collections. */
  method: (method: string, ...more: string[]): Refusal => {
    const offered = ['GET', 'HEAD', 'POST', ...more, 'PATCH']
    return {
      status: 405,
      code: 'PGRST117',
      message: {
        en: `The method ${excerptOf(method)} is not offered here; use ${offered.join(', ')} or DELETE.`,
        fa: `متد ${excerptOf(method)} اینجا نیست؛ ${offered.join(' یا ')} یا DELETE را به کار ببرید.`,
      },
    }
  },
  path: {
    status: 404,
    code: 'PGRST125',
    message: {
      en: 'Invalid path: a collection is read at /rest/v1/NAME.',
      fa: 'نشانی نادرست است: هر مجموعه در /rest/v1/NAME خوانده می‌شود.',
    },
  },
  signIn: {
    status: 401,
    code: '42501',
    message: {
      en: 'Rows are written by app users who are signed in; sign in first.',
      fa: 'ردیف‌ها را کاربران واردشدهٔ برنامه می‌نویسند؛ نخست وارد شوید.',
    },
  },
  owner: {
    status: 403,
    code: '42501',
    message: {
      en: 'A row belongs to whoever inserts it: owner_id has to be your own id, or to be left out.',
      fa: 'هر ردیف از آنِ کسی است که آن را درج می‌کند: owner_id باید شناسهٔ خودتان باشد یا نوشته نشود.',
    },
  },
} as const satisfies Record<string, Refusal | ((...given: never[]) => Refusal)>

/** PostgREST's code for a failure of ours; other failures keep their own. */
const codes: Partial<Record<string, string>> = {
  COLLECTION_NOT_FOUND: 'PGRST205',
  ROW_TAKEN: '23505',
  ROW_NOT_YOURS: '42501',
  ROW_INVALID: '22023',
  ROW_TOO_LARGE: '54000',
  ROWS_TIMEOUT: '57014',
  ROWS_BUSY: 'PGRST003',
  DATABASE_BUSY: 'PGRST003',
  INVALID_JSON: 'PGRST102',
}

/** Returns a failure of the platform in the format of this area. */
export function refusalOf(failure: Failure): Refusal {
  const { en, fa } = declarationOf(failure.code)
  const detail = failure.detail as { sqlState?: string; name?: string }
  const message = { en: en(failure.detail), fa: fa(failure.detail) }
  const code = detail?.sqlState ?? codes[failure.code] ?? failure.code
  if (failure.code !== 'COLLECTION_NOT_FOUND') return { status: failure.status, code, message }
  const name = excerptOf(detail.name ?? '')
  return {
    status: 404,
    code,
    message: {
      en: `Could not find the table 'public.${name}' in the schema cache`,
      fa: `مجموعه‌ای به نام ${name} در این بک‌اند نیست`,
    },
    hint: {
      en: 'Create the collection first: kherad cloud collections create, or the action create_collection.',
      fa: 'نخست مجموعه را بسازید: kherad cloud collections create یا action با مقدار create_collection.',
    },
  }
}
