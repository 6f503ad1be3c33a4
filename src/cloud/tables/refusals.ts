/** What is wrong with a query on tables, before any of it goes to the database. */
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'
import { excerptOf, type Refusal } from './refuse.ts'

export const syntaxReasons = {
  name: { en: 'the name of a column is expected there.', fa: 'در آنجا نام یک ستون لازم است.' },
  select: {
    en: 'columns are separated by commas, and a related table has its own in parentheses: id,customer:customers(name).',
    fa: 'ستون‌ها با ویرگول جدا می‌شوند و جدول مرتبط ستون‌های خودش را در پرانتز دارد: id,customer:customers(name).',
  },
  filter: {
    en: 'a filter is an operator, a dot and a value, such as eq.5, in.(1,2) or not.is.null.',
    fa: 'هر فیلتر یک عملگر، یک نقطه و یک مقدار است، مانند eq.5 یا in.(1,2) یا not.is.null.',
  },
  logic: {
    en: 'conditions are written in parentheses, with commas between them: (a.eq.1,and(b.gt.2,c.is.null)).',
    fa: 'شرط‌ها در پرانتز و با ویرگول نوشته می‌شوند: (a.eq.1,and(b.gt.2,c.is.null)).',
  },
  order: {
    en: 'an order is a column with asc or desc, and nullsfirst or nullslast: name.desc.nullslast.',
    fa: 'ترتیب نام ستون است با asc یا desc و nullsfirst یا nullslast: name.desc.nullslast.',
  },
  list: {
    en: 'a list is written in parentheses: in.(1,"a,b").',
    fa: 'فهرست در پرانتز نوشته می‌شود: in.(1,"a,b").',
  },
  is: {
    en: 'is takes null, not_null, true, false or unknown.',
    fa: 'پس از is یکی از null و not_null و true و false و unknown می‌آید.',
  },
  alias: {
    en: 'what a column is called in the answer has letters, digits, spaces, _ $ . : / @ # * and -, in 63 bytes at most; give it another name: name:column.',
    fa: 'نام ستون در پاسخ از حرف و رقم و فاصله و _ $ . : / @ # * و - است و حداکثر ۶۳ بایت؛ نام دیگری به آن بدهید: name:column.',
  },
  number: { en: 'a whole number is expected there.', fa: 'در آنجا عددی صحیح لازم است.' },
  array: {
    en: 'any and all take values in braces: like(any).{a*,b*}.',
    fa: 'any و all مقدارها را در آکولاد می‌گیرند: like(any).{a*,b*}.',
  },
  nul: {
    en: 'no text may contain the character NUL (U+0000).',
    fa: 'هیچ متنی کاراکتر NUL (U+0000) را نمی‌پذیرد.',
  },
  deep: { en: 'it is nested too deeply.', fa: 'بیش از اندازه تودرتو است.' },
  values: (max: number): Localized => ({
    en: `a list has at most ${max} values.`,
    fa: `هر فهرست حداکثر ${persian(max)} مقدار دارد.`,
  }),
} satisfies Record<string, Localized | ((max: number) => Localized)>

export const refusals = {
  aggregate: {
    status: 400,
    code: 'PGRST123',
    message: {
      en: 'Use of aggregate functions is not allowed; ask for a count with Prefer: count=exact.',
      fa: 'تابع‌های تجمیعی در دسترس نیستند؛ شمار ردیف‌ها را با Prefer: count=exact بخواهید.',
    },
  },
  noColumn: (table: string, name: string): Refusal => ({
    status: 400,
    code: 'PGRST204',
    message: {
      en: `The table "${table}" has no column "${excerptOf(name)}".`,
      fa: `جدول «${table}» ستون «${excerptOf(name)}» ندارد.`,
    },
  }),
  unknownColumn: (table: string, name: string): Refusal => ({
    status: 400,
    code: '42703',
    message: {
      en: `column ${table}.${excerptOf(name)} does not exist`,
      fa: `جدول «${table}» ستون «${excerptOf(name)}» ندارد.`,
    },
  }),
  noRelationship: (
    { schema, name }: { schema: string; name: string },
    target: string,
    hint: string | undefined,
  ): Refusal => ({
    status: 400,
    code: 'PGRST200',
    message: {
      en: `Could not find a relationship between '${name}' and '${excerptOf(target)}' in the schema cache`,
      fa: `میان «${name}» و «${excerptOf(target)}» رابطه‌ای نیست.`,
    },
    details: {
      en: `Searched for a foreign key relationship between '${name}' and '${excerptOf(target)}'${hint === undefined ? '' : ` using the hint '${excerptOf(hint)}'`} in the schema '${schema}', but no matches were found.`,
      fa: `در شِمای ${schema} کلیدی خارجی میان «${name}» و «${excerptOf(target)}»${hint === undefined ? '' : ` با نشانهٔ «${excerptOf(hint)}»`} پیدا نشد.`,
    },
    hint: {
      en: 'Add a foreign key between the two tables.',
      fa: 'کلیدی خارجی میان این دو جدول بسازید.',
    },
  }),
  similarRelation: (name: string, target: string): Localized => ({
    en: `Perhaps you meant '${name}' instead of '${excerptOf(target)}'.`,
    fa: `شاید به‌جای «${excerptOf(target)}» منظورتان «${name}» بود.`,
  }),
  ambiguous: (
    table: string,
    target: string,
    found: readonly { kind: string; description: string; hints: readonly string[] }[],
  ): Refusal => {
    const names = found.map(({ hints }) => `'${target}!${hints[0]}'`)
    return {
      status: 300,
      code: 'PGRST201',
      message: {
        en: `Could not embed because more than one relationship was found for '${table}' and '${excerptOf(target)}'`,
        fa: `میان «${table}» و «${excerptOf(target)}» چند رابطه هست.`,
      },
      details: found.map(({ kind, description }) => ({
        cardinality: kind,
        embedding: `${table} with ${target}`,
        relationship: description,
      })),
      hint: {
        en: `Try changing '${excerptOf(target)}' to one of the following: ${names.join(', ')}. Find the desired relationship in the 'details' key.`,
        fa: `به‌جای «${excerptOf(target)}» یکی از این‌ها را بنویسید: ${names.join('، ')}.`,
      },
    }
  },
  putConditions: {
    status: 405,
    code: 'PGRST105',
    message: {
      en: "Filters must include all and only primary key columns with 'eq' operators",
      fa: 'فیلترهای PUT باید همهٔ ستون‌های کلید اصلی و تنها همان‌ها باشند، هر کدام با eq.',
    },
  },
  putKey: {
    status: 400,
    code: 'PGRST115',
    message: {
      en: 'Payload values do not match URL in primary key column(s)',
      fa: 'مقدار کلید اصلی در بدنه همان نیست که در نشانی آمده است.',
    },
  },
  pageOfView: (view: string): Refusal => ({
    status: 400,
    code: '0A000',
    message: {
      en: `limit and offset choose the rows to write in tables, and in views that PostgreSQL updates by itself and that show the primary key of their table; "${view}" is no such view.`,
      fa: `limit و offset ردیف‌های نوشتنی را در جدول‌ها برمی‌گزینند، و در نماهایی که خود PostgreSQL به‌روز می‌کند و کلید اصلی جدولشان را نشان می‌دهند؛ «${view}» چنین نیست.`,
    },
    hint: {
      en: 'Choose the rows by filters, or write to the table.',
      fa: 'ردیف‌ها را با فیلتر برگزینید، یا در جدول بنویسید.',
    },
  }),
  notEmbedded: (name: string): Refusal => ({
    status: 400,
    code: 'PGRST108',
    message: {
      en: `'${excerptOf(name)}' is not an embedded resource in this request`,
      fa: `«${excerptOf(name)}» فیلتر یا مرتب می‌شود اما در select نیست.`,
    },
  }),
  orderOfMany: (name: string): Refusal => ({
    status: 400,
    code: 'PGRST118',
    message: {
      en: `Rows cannot be ordered by a column of "${excerptOf(name)}": several of its rows may belong to each of them.`,
      fa: `ردیف‌ها را نمی‌توان با ستونی از «${excerptOf(name)}» مرتب کرد: هر کدام شاید چند ردیف از آن داشته باشد.`,
    },
  }),
  noType: (name: string): Refusal => ({
    status: 400,
    code: '42704',
    message: {
      en: `There is no type "${excerptOf(name)}" to cast to.`,
      fa: `نوعی به نام «${excerptOf(name)}» نیست که به آن تبدیل شود.`,
    },
  }),
  noFunction: (schema: string, name: string, parameters: readonly string[]): Refusal => ({
    status: 404,
    code: 'PGRST202',
    message: {
      en: `There is no function ${schema}.${excerptOf(name)}(${excerptOf(parameters.join(', '))}).`,
      fa: `تابعی به شکل ${schema}.${excerptOf(name)}(${excerptOf(parameters.join('، '))}) نیست.`,
    },
  }),
  changing: {
    status: 503,
    code: 'PGRST002',
    message: {
      en: 'The tables of this database change faster than they can be read; try again in a moment.',
      fa: 'جدول‌های این پایگاه تندتر از آن عوض می‌شوند که خوانده شوند؛ کمی بعد دوباره بفرستید.',
    },
  },
  tooManyTables: (maxBytes: number): Refusal => ({
    status: 503,
    code: 'PGRST002',
    message: {
      en: `The tables and functions of the schema public are described in more than ${maxBytes / 1024 / 1024} MiB; drop some, or move them to another schema.`,
      fa: `شرح جدول‌ها و تابع‌های شِمای public بیش از ${persian(maxBytes / 1024 / 1024)} مبی‌بایت است؛ برخی را حذف کنید یا به شِمای دیگری ببرید.`,
    },
  }),
  severalFunctions: (schema: string, name: string, parameters: readonly string[]): Refusal => ({
    status: 300,
    code: 'PGRST203',
    message: {
      en: `Several functions ${schema}.${excerptOf(name)} take (${excerptOf(parameters.join(', '))}).`,
      fa: `چند تابع ${schema}.${excerptOf(name)} همین ورودی‌ها را می‌گیرند: (${excerptOf(parameters.join('، '))}).`,
    },
    hint: {
      en: 'Give them different names, or different names of parameters.',
      fa: 'نام تابع‌ها یا نام ورودی‌هایشان را متفاوت کنید.',
    },
  }),
  statedStatus: {
    status: 500,
    code: 'PGRST112',
    message: {
      en: 'response.status must be a valid status code',
      fa: 'response.status باید کد وضعیتی درست باشد.',
    },
  },
  statedHeaders: (max: number, maxCharacters: number): Refusal => ({
    status: 500,
    code: 'PGRST111',
    message: {
      en: 'response.headers must be a JSON array composed of objects with a single key and a string value',
      fa: 'response.headers باید آرایه‌ای از شیءهای JSON باشد، هر کدام با یک نام و یک مقدار متنی.',
    },
    details: {
      en: `At most ${max} headers in ${maxCharacters} characters; values are visible characters of ASCII on one line.`,
      fa: `حداکثر ${persian(max)} هدر در ${persian(maxCharacters)} کاراکتر؛ مقدارها کاراکترهای ASCII در یک خط‌اند.`,
    },
  }),
  tooManyParts: (max: number): Refusal => ({
    status: 400,
    code: 'PGRST100',
    message: {
      en: `A query has at most ${max} columns, tables, conditions and orders together.`,
      fa: `هر پرس‌وجو روی هم حداکثر ${persian(max)} ستون، جدول، شرط و ترتیب دارد.`,
    },
  }),
}
