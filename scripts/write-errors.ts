/** `npm run docs:errors` writes docs/errors.md from the declarations of every room, so that the list is never kept by hand. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { declarationOf, declaredCodes, errorType, sentenceOf } from '#platform/errors'
// Loading the server loads every room, and with it every declaration.
import '../src/server.ts'

export const errorsFile = path.resolve(import.meta.dirname, '../docs/errors.md')

const head = `# Errors · خطاها

This page is written by \`npm run docs:errors\` from the code; a test fails when it is out of date.
این صفحه را \`npm run docs:errors\` از روی برنامه می‌نویسد و اگر کهنه شود یک آزمون شکست می‌خورد.

Every refusal has the same body, and \`code\` never changes its meaning.
بدنهٔ همهٔ خطاها یک شکل دارد و معنای \`code\` هرگز عوض نمی‌شود.

\`\`\`json
{
  "type": "error",
  "request_id": "01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f",
  "error": {
    "type": "invalid_request_error",
    "code": "INVALID_REQUEST",
    "message": "Invalid request: messages is required.",
    "param": "messages",
    "execution_started": false,
    "request_id": "01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f"
  }
}
\`\`\`

- The message is Persian when \`Accept-Language\` prefers \`fa\`, else English. Act on \`code\`, show \`message\`.
- \`param\` names the field at fault where one is known; \`execution_started: false\` says that nothing was run and nothing is charged;
  \`receipt_id\` names the receipt that the refusal speaks of.
- "Again" tells whether the same request can fare better later: *no* is sent as \`x-should-retry: false\`. Answers 429 and 503, and a conflict that passes,
  carry \`Retry-After\` and \`retry-after-ms\`.
- Names in ‹angle marks› and the figures are placeholders.

| Status | Code | \`error.type\` | Again | English | فارسی |
|---|---|---|---|---|---|
`

/** The whole page. */
export function errorsPage(): string {
  const codes = declaredCodes().sort(
    (one, other) => statusOf(one) - statusOf(other) || (one < other ? -1 : 1),
  )
  return `${head}${codes.map(row).join('\n')}\n`
}

/** The page as it stands in the repository. */
export const writtenErrorsPage = (): string => readFileSync(errorsFile, 'utf8')

const statusOf = (code: string): number => declarationOf(code).status

function row(code: string): string {
  const { status, retry } = declarationOf(code)
  const cells = [
    String(status),
    `\`${code}\``,
    `\`${errorType(status)}\``,
    again(status, retry),
    sentenceOf(code, 'en'),
    sentenceOf(code, 'fa'),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

/** Whether to retry: by the headers (`errorHeaders`), else by the status. */
function again(status: number, retry: boolean | undefined): string {
  if (retry) return 'yes'
  if (retry === false || status === 402 || status === 409) return 'no'
  return status === 408 || status === 429 || status >= 500 ? 'yes' : 'after a change'
}

if (process.argv[1] === import.meta.filename) writeFileSync(errorsFile, errorsPage())
