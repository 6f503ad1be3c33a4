/** The published table of calls, in both languages: made of the installed client and of `answers.ts`, so that it cannot be out of date. */
import { readFileSync } from 'node:fs'
import type { Language, Localized } from '#platform/errors'
import { persian, persianDigits } from '#platform/words'
import { withDirections } from '../../../scripts/code-direction.ts'
import { type Answer, answerOf, type Family, families, type Plan, refused } from './answers.ts'
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
    en: 'The client itself',
    fa: 'خود کلاینت',
  },
}

const intro: Record<Language, (calls: number, works: Record<Plan, number>) => string> = {
  en: (calls, works) => `# supabase-js and its calls

[فارسی](supabase-js.fa.md) · [Starter](clouds.md) · [dedicated](dedicated.md)

An app speaks to its back-end with an unchanged \`@supabase/supabase-js\`: give \`createClient\` the \`service_url\` and the \`public_key\` that
\`GET /v1/cloud/{id}/connection\` shows. This page is made from the public methods of version ${version()}: \`scripts/write-supabase-table.ts\`
writes it, and each of its ${calls} lines is held by a test on back-ends of both plans, by the host and by the path, on dedicated ones in Chromium, too.
On Starter ${works.starter} of them work or need no server, on a dedicated back-end ${works.dedicated}.

- On Starter \`/files\` takes the place of buckets: \`POST {"name", "content_base64"}\`, \`GET\`, \`GET /files/{id}\`, \`DELETE /files/{id}\`,
  with the headers \`apikey\` and \`Authorization: Bearer <access token>\`. Each file belongs to its user alone.
- \`channel().subscribe()\` gets \`CHANNEL_ERROR\` with the reason at once, and the client stops trying by itself.
- The service key works from servers only. With an \`Origin\` or the \`User-Agent\` of a browser it is refused.
- Every answer counts against the bytes that the back-end may send in a day (\`CLOUD_EGRESS_LIMIT\`).
`,
  fa: (calls, works) => `# supabase-js و فراخوانی‌هایش

[English](supabase-js.md) · [Starter](clouds.fa.md) · [اختصاصی](dedicated.fa.md)

برنامه با همان \`@supabase/supabase-js\` دست‌نخورده با بک‌اندش گفت‌وگو می‌کند: به \`createClient\` همان \`service_url\` و \`public_key\` را بدهید که
\`GET /v1/cloud/{id}/connection\` نشان می‌دهد. این صفحه از متدهای عمومی نسخهٔ ${persianDigits(version())} ساخته می‌شود (\`scripts/write-supabase-table.ts\`)
و هر یک از ${persian(calls)} ردیفش روی هر دو طرح آزمونی دارد، هم با میزبان بک‌اند و هم با مسیر آن، و روی بک‌اند اختصاصی در Chromium هم.
روی Starter ${persian(works.starter)} تای آن‌ها کار می‌کنند یا سروری نمی‌خواهند و روی بک‌اند اختصاصی ${persian(works.dedicated)} تا.

- روی Starter، \`/files\` جای باکت‌ها را می‌گیرد: \`POST {"name", "content_base64"}\`، \`GET\`، \`GET /files/{id}\` و \`DELETE /files/{id}\`
  با هدرهای \`apikey\` و \`Authorization: Bearer <توکن دسترسی>\`. هر فایل تنها از آن کاربر خودش است.
- \`channel().subscribe()\` همان دم \`CHANNEL_ERROR\` و علت را می‌گیرد و کلاینت خودش دست از تلاش برمی‌دارد.
- کلید سرویس تنها از سرورها پذیرفته می‌شود؛ با \`Origin\` یا \`User-Agent\` مرورگر رد می‌شود.
- هر پاسخ از بایت‌هایی کم می‌کند که بک‌اند در یک روز می‌تواند بفرستد (\`CLOUD_EGRESS_LIMIT\`).
`,
}

const titles: Record<Language, Record<'refused' | 'call' | 'both' | Plan, string>> = {
  en: {
    refused: 'What is refused',
    call: 'Call',
    both: 'On both',
    starter: 'Starter',
    dedicated: 'Dedicated',
  },
  fa: {
    refused: 'آنچه رد می‌شود',
    call: 'فراخوانی',
    both: 'روی هر دو',
    starter: 'Starter',
    dedicated: 'اختصاصی',
  },
}

/** A name within Persian text keeps its direction. */
const code = (text: string): string => `\`${text}\``

const plans: readonly Plan[] = ['starter', 'dedicated']

export function guide(language: Language): string {
  const calls = publicCalls()
  const works = (plan: Plan) => calls.filter((call) => answerOf(call, plan).kind !== 'refused').length
  const words = titles[language]
  const sections = [
    intro[language](calls.length, { starter: works('starter'), dedicated: works('dedicated') }),
    `## ${words.refused}\n`,
    ...(['both', ...plans] as const).flatMap((where) => [
      `${words[where]}:\n`,
      ...familiesOf(where).map(
        (name) => `- **${families[name].title[language]}**: ${families[name].says[language]}`,
      ),
      '',
    ]),
    ...byObject(calls).flatMap(([object, own]) => [
      `## ${code(object)}\n`,
      `| ${words.call} | ${words.starter} | ${words.dedicated} |\n|---|---|---|`,
      ...own.map((call) => {
        const [starter, dedicated] = plans.map((plan) => answerText(answerOf(call, plan), language))
        return `| ${code(call)} | ${starter} | ${dedicated} |`
      }),
      '',
    ]),
  ]
  const page = sections.join('\n').trimEnd()
  return language === 'fa' ? withDirections(`<div dir="rtl">\n\n${page}\n\n</div>\n`) : `${page}\n`
}

/** What both plans refuse, or what one of them alone does. */
const familiesOf = (where: Plan | 'both'): Family[] =>
  (Object.keys(families) as Family[]).filter((name) => {
    const by = plans.filter((plan) => refused[plan][name] !== undefined)
    return where === 'both' ? by.length === 2 : by.length === 1 && by[0] === where
  })

const answerText = (answer: Answer, language: Language): string =>
  answer.kind === 'refused'
    ? `${{ en: 'Refused', fa: 'رد می‌شود' }[language]}: ${families[answer.family].title[language]}`
    : groups[answer.kind]![language]

function byObject(calls: readonly string[]): [string, string[]][] {
  const found = new Map<string, string[]>()
  for (const call of calls) {
    const object = call.slice(0, call.lastIndexOf('.'))
    found.set(object, [...(found.get(object) ?? []), call])
  }
  return [...found]
}
