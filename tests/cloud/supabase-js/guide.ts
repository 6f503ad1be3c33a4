/** The published table of calls, in both languages: made of the installed client and of `answers.ts`, so that it cannot be out of date. */
import { readFileSync } from 'node:fs'
import type { Language, Localized } from '#platform/errors'
import { persian, persianDigits } from '#platform/words'
import { answerOf, type Family, families } from './answers.ts'
import { publicCalls } from './surface.ts'

const version = (): string =>
  JSON.parse(
    readFileSync(
      new URL('../../../node_modules/@supabase/supabase-js/package.json', import.meta.url),
      'utf8',
    ),
  ).version as string

const groups: Record<string, Localized> = {
  works: { en: 'Works', fa: 'کار می‌کند' },
  local: {
    en: 'Answered by the client itself, nothing is sent',
    fa: 'خود کلاینت پاسخ می‌دهد و چیزی فرستاده نمی‌شود',
  },
}

const intro: Record<Language, (calls: number, works: number) => string> = {
  en: (calls, works) => `# supabase-js on a Starter cloud

[فارسی](cloud-supabase-js.fa.md)

An app speaks to its back-end with an unchanged \`@supabase/supabase-js\`: give \`createClient\` the \`service_url\` and the \`public_key\` that
\`GET /v1/cloud/{id}/connection\` shows. This page is made from the public methods of version ${version()}: \`scripts/write-supabase-table.ts\`
writes it, and each of its ${calls} lines is held by a test, by the cloud's host and by its path. ${works} of them work or need no server.

- Files: \`/files\` of the cloud takes the place of buckets: \`POST {"name", "content_base64"}\`, \`GET\`, \`GET /files/{id}\`, \`DELETE /files/{id}\`,
  with the headers \`apikey\` and \`Authorization: Bearer <access token>\`. Each belongs to its user alone.
- \`channel().subscribe()\` gets \`CHANNEL_ERROR\` with the reason at once, and the client stops trying by itself.
- The service key works from servers only. With an \`Origin\` or the \`User-Agent\` of a browser it is refused.
- Every answer counts against the bytes that the cloud may send in a day (\`CLOUD_EGRESS_LIMIT\`).
`,
  fa: (calls, works) => `# supabase-js روی بک‌اند Starter

[English](cloud-supabase-js.md)

برنامه با همان \`@supabase/supabase-js\` دست‌نخورده با بک‌اندش گفت‌وگو می‌کند: به \`createClient\` همان \`service_url\` و \`public_key\` را بدهید که
\`GET /v1/cloud/{id}/connection\` نشان می‌دهد. این صفحه از متدهای عمومی نسخهٔ ${persianDigits(version())} ساخته می‌شود (\`scripts/write-supabase-table.ts\`)
و هر یک از ${persian(calls)} ردیفش آزمونی دارد، هم با میزبان بک‌اند و هم با مسیر آن. ${persian(works)} تای آن‌ها کار می‌کنند یا سروری نمی‌خواهند.

- فایل‌ها: ‎\`/files\` بک‌اند جای باکت‌ها را می‌گیرد: \`POST {"name", "content_base64"}\`، \`GET\`، \`GET /files/{id}\` و \`DELETE /files/{id}\`
  با سرآیندهای \`apikey\` و \`Authorization: Bearer <توکن دسترسی>\`. هر فایل تنها از آن کاربر خودش است.
- \`channel().subscribe()\` همان دم \`CHANNEL_ERROR\` و علت را می‌گیرد و کلاینت خودش دست از تلاش برمی‌دارد.
- کلید سرویس تنها از سرورها پذیرفته می‌شود؛ با \`Origin\` یا \`User-Agent\` مرورگر رد می‌شود.
- هر پاسخ از بایت‌هایی کم می‌کند که بک‌اند در یک روز می‌تواند بفرستد (\`CLOUD_EGRESS_LIMIT\`).
`,
}

const titles: Record<Language, { refused: string; call: string; answer: string }> = {
  en: { refused: 'What is refused', call: 'Call', answer: 'Answer' },
  fa: { refused: 'آنچه رد می‌شود', call: 'فراخوانی', answer: 'پاسخ' },
}

/** A name within Persian text keeps its direction. */
const code = (text: string): string => `\`${text}\``

export function guide(language: Language): string {
  const calls = publicCalls()
  const answers = calls.map((call) => ({ call, answer: answerOf(call) }))
  const works = answers.filter(({ answer }) => answer.kind !== 'refused').length
  const { refused, call, answer } = titles[language]
  const all = Object.entries(families) as [Family, (typeof families)[Family]][]
  const sections = [
    intro[language](calls.length, works),
    `## ${refused}\n`,
    ...all.map(([, { title, says }]) => `- **${title[language]}**: ${says[language]}`),
    '',
    ...byObject(answers).flatMap(([object, rows]) => [
      `## ${code(object)}\n`,
      `| ${call} | ${answer} |\n|---|---|`,
      ...rows.map((row) => `| ${code(row.call)} | ${answerText(row.answer, language)} |`),
      '',
    ]),
  ]
  return `${sections.join('\n').trimEnd()}\n`
}

type Row = { call: string; answer: ReturnType<typeof answerOf> }

const answerText = (answer: Row['answer'], language: Language): string =>
  answer.kind === 'refused'
    ? `${{ en: 'Refused', fa: 'رد می‌شود' }[language]}: ${families[answer.family].title[language]}`
    : groups[answer.kind]![language]

function byObject(rows: readonly Row[]): [string, Row[]][] {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const object = row.call.slice(0, row.call.lastIndexOf('.'))
    found.set(object, [...(found.get(object) ?? []), row])
  }
  return [...found]
}
