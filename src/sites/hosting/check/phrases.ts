import { declareFailures, fail, type Localized } from '#platform/errors'
import { persian } from '#platform/words'
import { type PathFault, pathBounds } from './path.ts'
import type { Problem } from './problem.ts'

declare module '#platform/errors' {
  interface Failures {
    CONFIRM_PUBLIC_REQUIRED: Record<string, never>
    SITE_FILE_NOT_KEPT: { others: number }
    PUBLICATIONS_BUSY: { most: number }
    PUBLICATION_NOT_CHECKED: Record<string, never>
  }
}

declareFailures({
  CONFIRM_PUBLIC_REQUIRED: {
    status: 400,
    en: () =>
      'Whatever is published is seen by everyone; send "confirm_public": true to say that you want that.',
    fa: () => 'آنچه منتشر شود همه می‌بینند؛ برای تأیید ‎"confirm_public": true بفرستید.',
  },
  SITE_FILE_NOT_KEPT: {
    status: 400,
    en: ({ others }) =>
      `No kept version of this site has a file of this SHA-256${others > 0 ? `, nor of ${others} others` : ''}; send its content.`,
    fa: ({ others }) =>
      `هیچ نسخهٔ نگه‌داشتهٔ این سایت فایلی با این SHA-256 ندارد${others > 0 ? ` (و ${persian(others)} فایل دیگر هم)` : ''}؛ محتوای آن را بفرستید.`,
  },
  PUBLICATIONS_BUSY: {
    status: 429,
    en: ({ most }) =>
      `${most === 1 ? 'Another publication is' : `${most} other publications are`} being checked on this server; send this one again after the time in Retry-After.`,
    fa: ({ most }) =>
      `این سرور همین اکنون ${persian(most)} انتشار دیگر را بررسی می‌کند؛ پس از زمان Retry-After دوباره بفرستید.`,
  },
  PUBLICATION_NOT_CHECKED: {
    status: 503,
    en: () =>
      'The files of this publication could not be checked in time; send it again later, with fewer or smaller files if it happens again.',
    fa: () =>
      'بررسی فایل‌های این انتشار در زمان مجاز تمام نشد؛ بعداً دوباره بفرستید و اگر تکرار شد فایل‌ها را کمتر یا کوچک‌تر کنید.',
  },
})

/** Throws the failure of the first problem; its sentence says where the others are. */
export function refuse([first, ...others]: readonly Problem[]): never {
  const { param, kind } = first!
  if (kind === 'unknown')
    fail('UNKNOWN_FIELD', { field: param.slice(0, 200) }, { param: param.slice(0, 200) })
  if (kind === 'notPublic') fail('CONFIRM_PUBLIC_REQUIRED', {}, { param })
  if (kind === 'notKept')
    fail('SITE_FILE_NOT_KEPT', { others: others.filter((other) => other.kind === kind).length }, { param })
  fail('INVALID_REQUEST', { why: sentenceOf(first!, others) }, param === '' ? {} : { param })
}

function sentenceOf(problem: Problem, others: readonly Problem[]): Localized {
  const sentence = sentences[problem.kind as keyof ProblemSentences] as (problem: Problem) => Localized
  const said = sentence(problem)
  const subject = problem.param === '' ? { en: 'the body', fa: 'بدنهٔ درخواست' } : plain(problem.param)
  const more = [...new Set(others.map(({ param }) => param))].filter((param) => param !== problem.param)
  return {
    en: `${subject.en} ${said.en}${more.length > 0 ? ` Wrong too: ${more.join(', ')}.` : ''}`,
    fa: `${subject.fa} ${said.fa}${more.length > 0 ? ` این‌ها هم نادرست‌اند: ${more.join('، ')}.` : ''}`,
  }
}

const plain = (text: string): Localized => ({ en: text, fa: text })

type ProblemSentences = {
  [Kind in Exclude<Problem['kind'], 'unknown' | 'notPublic' | 'notKept'>]: (
    problem: Extract<Problem, { kind: Kind }>,
  ) => Localized
}

const typeNames: Record<Extract<Problem, { kind: 'type' }>['wanted'], Localized> = {
  string: { en: 'a string', fa: 'رشته' },
  boolean: { en: 'true or false', fa: 'true یا false' },
  object: { en: 'an object', fa: 'شیء' },
  list: { en: 'an array', fa: 'فهرست' },
}

const sentences: ProblemSentences = {
  missing: () => ({ en: 'is required.', fa: 'الزامی است.' }),
  twice: () => ({ en: 'stands there twice; send it once.', fa: 'دو بار آمده است؛ یک بار بفرستید.' }),
  type: ({ wanted }) => ({
    en: `must be ${typeNames[wanted].en}.`,
    fa: `باید ${typeNames[wanted].fa} باشد.`,
  }),
  mustBe: ({ value }) => ({ en: `must be "${value}".`, fa: `باید "${value}" باشد.` }),
  length: ({ most }) => ({
    en: `must have 1 to ${most} characters.`,
    fa: `باید ۱ تا ${persian(most)} کاراکتر داشته باشد.`,
  }),
  nameUnreadable: () => ({
    en: 'must be a name that people can read, on one line: with letters or digits, and without control characters.',
    fa: 'باید نامی خواندنی در یک خط باشد: با حرف یا رقم و بدون کاراکتر کنترلی.',
  }),
  notUuid: () => ({
    en: 'must be an id as this service gives it (a UUID).',
    fa: 'باید شناسه‌ای باشد که همین سرور داده است (UUID).',
  }),
  tooMany: ({ most }) => ({
    en: `has more than ${most} files, the most that one site may have.`,
    fa: `بیش از ${persian(most)} فایل دارد که سقف یک سایت است.`,
  }),
  fileTooLarge: ({ most }) => ({
    en: `is a file of more than ${most} bytes, the most that one file may have.`,
    fa: `فایلی بزرگ‌تر از ${persian(most)} بایت است که سقف یک فایل است.`,
  }),
  allTooLarge: ({ most }) => ({
    en: `has more than ${most} bytes together, the most that one site may have; make pictures smaller or leave files out.`,
    fa: `روی هم بیش از ${persian(most)} بایت دارد که سقف یک سایت است؛ تصویرها را کوچک‌تر کنید یا فایل‌هایی را کنار بگذارید.`,
  }),
  noIndex: () => ({
    en: 'has no index.html; the first page of a site is the file with the path index.html.',
    fa: 'فایل index.html ندارد؛ صفحهٔ نخست سایت فایلی با مسیر index.html است.',
  }),
  path: ({ fault, path }) => quoted(path, pathFaults[fault]),
  sameFile: ({ path, other }) =>
    quoted(path, {
      en: `is the same file as ${JSON.stringify(other)}: paths must differ in more than capitals.`,
      fa: `همان فایل «${other}» است؛ تفاوت دو مسیر نباید فقط در حروف بزرگ و کوچک باشد.`,
    }),
  alsoFolder: ({ path, other }) =>
    quoted(path, {
      en: `cannot stand beside ${JSON.stringify(other)}: what is a file cannot be a folder too.`,
      fa: `کنار «${other}» نمی‌تواند باشد؛ آنچه فایل است نمی‌تواند پوشه هم باشد.`,
    }),
  notBase64: () => ({
    en: 'is not Base64 of the standard alphabet with whole padding and without white space (RFC 4648, section 4).',
    fa: 'Base64 با الفبای استاندارد، = پایانی کامل و بدون فاصله و سطر جدید نیست (RFC 4648، بخش ۴).',
  }),
  notHash: () => ({
    en: 'must be a SHA-256: 64 hexadecimal digits in small letters.',
    fa: 'باید SHA-256 باشد: ۶۴ رقم شانزده‌شانزدهی با حروف کوچک.',
  }),
  contentOrHash: () => ({
    en: 'stands beside content; send the content or its SHA-256.',
    fa: 'کنار content آمده است؛ یا محتوا را بفرستید یا SHA-256 آن را.',
  }),
  encodingAlone: () => ({
    en: 'says how content is written, and there is none; leave it out.',
    fa: 'شیوهٔ نوشتن content را می‌گوید که نیامده است؛ حذفش کنید.',
  }),
  rulesByHash: () => ({
    en: 'cannot stand for _redirects or _headers, which are no files of a version; send the content.',
    fa: 'به‌جای ‎_redirects و ‎_headers پذیرفته نیست، چون فایل نسخه نیستند؛ محتوا را بفرستید.',
  }),
  rulesNotUtf8: () => ({ en: 'is not UTF-8.', fa: 'UTF-8 نیست.' }),
  rule: ({ line, why }) => ({
    en: `is wrong in line ${line}: ${why.en}`,
    fa: `در سطر ${persian(line)} نادرست است: ${why.fa}`,
  }),
}

const quoted = (path: string | undefined, said: Localized): Localized =>
  path === undefined ? said : { en: `(${JSON.stringify(path)}) ${said.en}`, fa: `(«${path}») ${said.fa}` }

const pathFaults: Record<PathFault, Localized> = {
  empty: { en: 'must not be empty.', fa: 'نباید خالی باشد.' },
  long: {
    en: `is longer than ${pathBounds.bytes} bytes.`,
    fa: `بلندتر از ${persian(pathBounds.bytes)} بایت است.`,
  },
  longSegment: {
    en: `has a part between slashes that is longer than ${pathBounds.segmentBytes} bytes.`,
    fa: `میان دو / بخشی بلندتر از ${persian(pathBounds.segmentBytes)} بایت دارد.`,
  },
  absolute: {
    en: 'must not begin with a slash: paths are relative to the root of the site.',
    fa: 'نباید با / آغاز شود؛ مسیرها نسبت به ریشهٔ سایت‌اند.',
  },
  backslash: {
    en: 'must not have a backslash; folders end with /.',
    fa: 'نباید \\ داشته باشد؛ پوشه‌ها با / جدا می‌شوند.',
  },
  control: {
    en: 'must not have control characters or line breaks.',
    fa: 'نباید کاراکتر کنترلی یا سطر جدید داشته باشد.',
  },
  direction: {
    en: 'must not have marks that change the direction of writing.',
    fa: 'نباید نشانه‌های تغییر جهت نوشتار داشته باشد.',
  },
  surrogate: {
    en: 'has half a surrogate pair, which is no character.',
    fa: 'نیمهٔ یک surrogate دارد که کاراکتر نیست.',
  },
  escape: {
    en: 'must be written as it is, without percent-encoding: "a b.html", not "a%20b.html".',
    fa: 'باید همان‌گونه که هست نوشته شود، بدون کدگذاری درصدی: «a b.html» نه «a%20b.html».',
  },
  composed: {
    en: 'must be in Unicode normal form C (NFC), in which a letter and its mark are one character.',
    fa: 'باید به شکل NFC یونیکد باشد که در آن حرف و نشانهٔ آن یک کاراکترند.',
  },
  emptySegment: {
    en: 'has nothing between two slashes, or after the last one.',
    fa: 'میان دو / یا پس از آخرین / چیزی ندارد.',
  },
  dots: { en: 'must not have "." or ".." as a part.', fa: 'نباید بخش «.» یا «..» داشته باشد.' },
  hidden: {
    en: 'is hidden: a part that begins with a dot is not published, except .well-known/ at the root.',
    fa: 'پنهان است: بخشی که با نقطه آغاز شود منتشر نمی‌شود، مگر ‎.well-known/ در ریشه.',
  },
  dependencies: {
    en: 'is in a folder of packages (node_modules, bower_components, jspm_packages); publish what your build makes.',
    fa: 'در پوشهٔ بسته‌هاست (node_modules، bower_components، jspm_packages)؛ خروجی build خود را منتشر کنید.',
  },
}
