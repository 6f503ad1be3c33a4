/** `npm run docs:errors` writes docs/errors.md and its Persian twin from the declarations of every room, so that no list is kept by hand. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { declarationOf, declaredCodes, errorType, type Language, sentenceOf } from '#platform/errors'
import { persianDigits } from '#platform/words'
// Loading the server loads every room, and with it every declaration.
import '../src/server.ts'
import { withDirections } from './code-direction.ts'

/** The page of a language, from the root of the repository. */
export const errorsFile: Record<Language, string> = { en: 'docs/errors.md', fa: 'docs/errors.fa.md' }

const absolute = (language: Language): string => path.resolve(import.meta.dirname, '..', errorsFile[language])

const body = (message: string): string => `\`\`\`json
{
  "type": "error",
  "request_id": "01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f",
  "error": {
    "type": "invalid_request_error",
    "code": "INVALID_REQUEST",
    "message": "${message}",
    "param": "messages",
    "execution_started": false,
    "request_id": "01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f"
  }
}
\`\`\`
`

const heads: Record<Language, string> = {
  en: `# Errors

[فارسی](errors.fa.md)

This page is written by \`npm run docs:errors\` from the code; a test fails when it is out of date.

Every refusal has the same body, and \`code\` never changes its meaning.

${body('Invalid request: messages is required.')}
- The message is Persian when \`Accept-Language\` prefers \`fa\`, else English. Act on \`code\`, show \`message\`.
- \`param\` names the field at fault where one is known; \`execution_started: false\` says that nothing was run and nothing is charged;
  \`receipt_id\` names the receipt that the refusal speaks of.
- "Again" tells whether the same request can fare better later: *no* is sent as \`x-should-retry: false\`. Answers 429 and 503, and a conflict that passes,
  carry \`Retry-After\` and \`retry-after-ms\`.
- Names in ‹angle marks› and the figures are placeholders.

| Status | Code | \`error.type\` | Again | Message |
|---|---|---|---|---|
`,
  fa: `<div dir="rtl">

# خطاها

[English](errors.md)

این صفحه را \`npm run docs:errors\` از روی برنامه می‌نویسد و اگر کهنه شود یک آزمون شکست می‌خورد.

بدنهٔ همهٔ خطاها یک شکل دارد و معنای \`code\` هرگز عوض نمی‌شود.

<div dir="ltr">

${body('\u2067درخواست نادرست است: messages الزامی است.\u2069')}
</div>

- اگر \`Accept-Language\` فارسی (\`fa\`) را ترجیح دهد پیام فارسی است، وگرنه انگلیسی. برنامه از روی \`code\` تصمیم می‌گیرد و \`message\` را نشان می‌دهد.
- ‏\`param\` نام فیلد نادرست است، اگر معلوم باشد؛ \`execution_started: false\` یعنی چیزی اجرا و حساب نشده است؛ \`receipt_id\` رسیدی است که خطا دربارهٔ آن است.
- ستون «دوباره» می‌گوید آیا همین درخواست شاید بعداً پذیرفته شود: «نه» به شکل \`x-should-retry: false\` فرستاده می‌شود. پاسخ‌های ۴۲۹ و ۵۰۳، و تعارضی که
  می‌گذرد، \`Retry-After\` و \`retry-after-ms\` دارند.
- نام‌های درون ‹گیومهٔ تکی› و عددها جای مقدارهای واقعی‌اند.

| وضعیت | کد | \`error.type\` | دوباره | پیام |
|---|---|---|---|---|
`,
}

const ends: Record<Language, string> = { en: '', fa: '\n</div>\n' }

/** The whole page in a language. */
export function errorsPage(language: Language): string {
  const codes = declaredCodes().sort(
    (one, other) => statusOf(one) - statusOf(other) || (one < other ? -1 : 1),
  )
  const page = `${heads[language]}${codes.map((code) => row(code, language)).join('\n')}\n${ends[language]}`
  return language === 'fa' ? withDirections(page) : page
}

/** The page as it stands in the repository. */
export const writtenErrorsPage = (language: Language): string => readFileSync(absolute(language), 'utf8')

const statusOf = (code: string): number => declarationOf(code).status

function row(code: string, language: Language): string {
  const { status, retry } = declarationOf(code)
  const cells = [
    language === 'fa' ? persianDigits(status) : String(status),
    `\`${code}\``,
    `\`${errorType(status)}\``,
    words[again(status, retry)][language],
    sentenceOf(code, language),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

const words = {
  yes: { en: 'yes', fa: 'بله' },
  no: { en: 'no', fa: 'نه' },
  changed: { en: 'after a change', fa: 'پس از تغییر' },
}

/** Whether to retry: by the headers (`errorHeaders`), else by the status. */
function again(status: number, retry: boolean | undefined): keyof typeof words {
  if (retry) return 'yes'
  if (retry === false || status === 402 || status === 409) return 'no'
  return status === 408 || status === 429 || status >= 500 ? 'yes' : 'changed'
}

if (process.argv[1] === import.meta.filename)
  for (const language of ['en', 'fa'] as const) writeFileSync(absolute(language), errorsPage(language))
