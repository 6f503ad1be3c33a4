/** What is wrong with a request on tables beside its query: its table, its body, its method, the size of its answer. */
import { excerptOf, type Refusal } from '#cloud/tables'
import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

export const tablesRefusals = {
  noTable: (schema: string, name: string): Refusal => ({
    status: 404,
    code: 'PGRST205',
    message: {
      en: `Could not find the table '${schema}.${excerptOf(name)}' in the schema cache`,
      fa: `جدول «${excerptOf(name)}» در شِمای ${schema} نیست.`,
    },
  }),
  similarTable: ({ schema, name }: { schema: string; name: string }): Localized => ({
    en: `Perhaps you meant the table '${schema}.${name}'`,
    fa: `شاید منظورتان جدول «${name}» بود.`,
  }),
  tooManyRows: (max: number): Refusal => ({
    status: 400,
    code: '54000',
    message: {
      en: `A request writes at most ${max} rows; send fewer at once.`,
      fa: `هر درخواست حداکثر ${persian(max)} ردیف می‌نویسد؛ هر بار ردیف‌های کمتری بفرستید.`,
    },
  }),
  tooManyColumns: (max: number): Refusal => ({
    status: 400,
    code: '54011',
    message: { en: `A row has at most ${max} columns.`, fa: `هر ردیف حداکثر ${persian(max)} ستون دارد.` },
  }),
  tooManyValues: (max: number): Refusal => ({
    status: 400,
    code: '54000',
    message: {
      en: `The rows of a request have at most ${max} values together, with the columns that \`columns\` names in each of them; send fewer rows at once.`,
      fa: `ردیف‌های هر درخواست روی هم حداکثر ${persian(max)} مقدار دارند، همراه ستون‌هایی که columns برای هر ردیف نام می‌برد؛ هر بار ردیف‌های کمتری بفرستید.`,
    },
  }),
  answerTooLarge: (maxBytes: number): Refusal => ({
    status: 400,
    code: '54000',
    message: {
      en: `The answer has more than ${maxBytes / 1024 / 1024} MiB; ask for fewer rows or columns.`,
      fa: `پاسخ بیش از ${persian(maxBytes / 1024 / 1024)} مبی‌بایت است؛ ردیف‌ها یا ستون‌های کمتری بخواهید.`,
    },
  }),
  bodyType: (type: string): Refusal => ({
    status: 415,
    code: 'PGRST102',
    message: {
      en: `Content-Type not acceptable: ${excerptOf(type)}`,
      fa: `بدنه‌ای از نوع ${excerptOf(type)} پذیرفته نیست.`,
    },
    hint: {
      en: 'Send application/json, text/csv or application/x-www-form-urlencoded.',
      fa: 'application/json یا text/csv یا application/x-www-form-urlencoded بفرستید.',
    },
  }),
  differentNames: {
    status: 400,
    code: 'PGRST102',
    message: { en: 'All object keys must match', fa: 'همهٔ شیءها باید نام‌های یکسان داشته باشند.' },
    hint: {
      en: 'Name all columns in the query: columns=a,b.',
      fa: 'همهٔ ستون‌ها را در نشانی نام ببرید: columns=a,b.',
    },
  },
  putPage: {
    status: 400,
    code: 'PGRST114',
    message: {
      en: 'limit/offset querystring parameters are not allowed for PUT',
      fa: 'PUT پارامترهای limit و offset نمی‌گیرد.',
    },
  },
  oneRow: {
    status: 400,
    code: 'PGRST102',
    message: {
      en: 'The body of a change is one object; each row that matches the filters gets its values.',
      fa: 'بدنهٔ تغییر یک شیء است؛ هر ردیفی که با فیلترها جور باشد مقدارهای آن را می‌گیرد.',
    },
  },
  csvNames: {
    status: 400,
    code: 'PGRST102',
    message: {
      en: 'The first line of CSV names the columns, each once.',
      fa: 'سطر نخست CSV نام ستون‌هاست، هر کدام یک بار.',
    },
  },
  csvLine: (line: number): Refusal => ({
    status: 400,
    code: 'PGRST102',
    message: {
      en: `All lines of CSV have as many values as the first one; line ${line} does not.`,
      fa: `همهٔ سطرهای CSV به اندازهٔ سطر نخست مقدار دارند؛ سطر ${persian(line)} ندارد.`,
    },
  }),
  csvQuote: {
    status: 400,
    code: 'PGRST102',
    message: {
      en: 'In CSV quotes enclose a whole value, and a quote within it is written twice.',
      fa: 'در CSV گیومه (") دور همهٔ یک مقدار می‌آید، و گیومهٔ درون آن دو بار نوشته می‌شود.',
    },
  },
  callMethod: (method: string): Refusal => ({
    status: 405,
    code: 'PGRST101',
    message: {
      en: `Functions are called by GET, HEAD or POST, not by ${excerptOf(method)}.`,
      fa: `تابع‌ها با GET یا HEAD یا POST صدا زده می‌شوند، نه با ${excerptOf(method)}.`,
    },
  }),
}
