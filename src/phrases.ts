/** Messages of the program at its start, in Persian and English. */

import { localhostOf } from '#account/factors'
import { mailChannel } from '#account/letters'
import type { App } from '#app'
import type { SharedParent } from '#platform/apps'
import type { Config, Env } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { persianDigits } from '#platform/words'
import type { Kherad } from './server.ts'

export function welcome(kherad: Kherad, shared: SharedParent | undefined): string {
  const { app, first, server, discovered, apps } = kherad
  const url = app.config.baseUrl
  // The key itself stands in one line only, since whatever is printed here is kept in the journal of the service.
  const key = first && !first.shownSecret ? '$KHERAD_BOOTSTRAP_KEY' : '$KHERAD_KEY'
  const names = app.models.list().map(({ id }) => id)
  const shown = names.slice(0, 12).join('  ') + (names.length > 12 ? `  … (${names.length})` : '')
  const providers = app.models
    .providers()
    .map(({ id }) => id)
    .join('  ')
  const sandboxOnly = app.models.list().every(({ sandbox }) => sandbox)
  return [
    '',
    `خرد آماده است / Kherad is ready:  ${url}`,
    ...copyOf(app),
    ...(server.url === url ? [] : [`  گوش می‌دهد در / listens on: ${server.url}`]),
    ...(first?.shownSecret
      ? [
          '',
          'کلید (فقط همین یک بار نشان داده می‌شود) / key (shown only this once):',
          `  export KHERAD_KEY=${first.shownSecret}`,
        ]
      : []),
    ...firstPerson(kherad),
    '',
    `ارائه‌دهندگان / providers: ${providers}`,
    `مدل‌ها / models: ${shown}`,
    ...(sandboxOnly
      ? [
          'فقط مدل‌های شبیه‌ساز sandbox در دسترس‌اند؛ برای مدل واقعی کلیدی مانند OPENAI_API_KEY یا kherad.config.yaml بدهید.',
          'Only the sandbox simulators are here; for real models set a key such as OPENAI_API_KEY or write kherad.config.yaml.',
        ]
      : []),
    ...silentMails(app),
    ...closedSignUp(app),
    ...readOnTheWay(kherad),
    ...discovered.silent.map((address) => `پاسخ نداد / did not answer: ${address}`),
    '',
    'نخستین درخواست / first call:',
    `  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '{"messages":[{"role":"user","content":"سلام! خودت را معرفی کن"}]}'`,
    '',
    `کنسول / console: ${url}/`,
    `مستندات / docs: ${url}/docs`,
    ...passkeysAt(url),
    ...(apps ? [`سایت‌ها و بک‌اندها / sites and clouds: ${apps.url}`] : []),
    '',
    isWithoutApps(kherad) ? takenApps(app.config) : '',
    ...(shared ? [sharedCookies(shared)] : []),
  ].join('\n')
}

/** Browsers use passkeys at no IP address, but at the name of this machine. */
function passkeysAt(url: string): string[] {
  const named = localhostOf(url)
  return named === undefined ? [] : [`ورود با رمز دستگاه تنها در / passkeys work only at: ${named}`]
}

/** The link of the first person. It is no key of the API: whoever opens it within a day becomes the operator. */
function firstPerson({ firstLink }: Kherad): string[] {
  if (firstLink === undefined) return []
  if (firstLink === 'recent')
    return [
      '',
      'پیوند نخستین نفر دقیقه‌ای پیش چاپ شد و کار می‌کند؛ پیوندی تازه: kherad operator link',
      'The link of the first person was printed a minute ago and works; for a new one: kherad operator link',
    ]
  return [
    '',
    'نخستین نفر، که گرداننده می‌شود، این پیوند یک‌بارمصرف را در مرورگر باز کند (تا ۲۴ ساعت) /',
    'the first person, who becomes the operator, opens this one-time link in a browser (valid for 24 hours):',
    `  ${firstLink}`,
  ]
}

const copyOf = ({ installation: { copy } }: App): string[] =>
  copy
    ? [
        `رونوشتی از ${copy.place}: کارها، باکت و پایگاه‌های اصل دست‌نخورده می‌مانند؛ kherad adopt آن را جای اصل می‌گذارد.`,
        `A copy of ${copy.place}: its jobs, bucket and databases stay untouched; kherad adopt makes this the original.`,
      ]
    : []

/** Said where a mail server is named and the address of this server is not: links in mails have no other address. */
const silentMails = ({ config }: App): string[] =>
  config.mail !== undefined && mailChannel({ config }) === 'none'
    ? [
        'نامه‌ای به اشخاص فرستاده نمی‌شود (ورود، دعوت، هشدار)، چون نشانی این سرور معلوم نیست: KHERAD_BASE_URL را بگذارید.',
        'No mail goes to people (sign-in, invitations, warnings), because the address of this server is not known: set KHERAD_BASE_URL.',
      ]
    : []

/** Said where anybody may sign up by the settings, and nobody can: a new address is proven by a mail. */
const closedSignUp = ({ config }: App): string[] =>
  config.people.signUp === 'open' && mailChannel({ config }) === 'none'
    ? [
        'ثبت‌نام باز نیست، با این‌که people.sign_up مقدار open دارد: نشانی تازه با نامه ثابت می‌شود، و برای آن mail و KHERAD_BASE_URL لازم است.',
        'Nobody can sign up, although people.sign_up is open: a new address is proven by a mail, which needs mail and KHERAD_BASE_URL.',
      ]
    : []

/** Said where other machines reach this server, and passwords and sessions come to it as they are. */
function readOnTheWay({ app: { config }, server }: Kherad): string[] {
  const isOwnMachine = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(server.url).hostname)
  if (isOwnMachine || new URL(config.baseUrl).protocol === 'https:') return []
  return [
    'دستگاه‌های دیگر به این سرور می‌رسند و TLS ندارد: گذرواژه و نشست آدم‌ها در راه خوانده می‌شود. پروکسی با TLS و KHERAD_BASE_URL بگذارید.',
    'Other machines reach this server, and it has no TLS: passwords and sessions of people can be read on the way. Put a proxy with TLS in front, and set KHERAD_BASE_URL.',
  ]
}

const isWithoutApps = ({ app: { config }, apps }: Kherad): boolean =>
  config.roles.api && config.apps.listens && !apps

/** The warning that the API serves without the second listener. */
export const takenApps = ({ apps: { port } }: Config): string =>
  [
    `درگاه ${persianDigits(port)} در اختیار برنامهٔ دیگری است: سایت‌ها و بک‌اندها داده نمی‌شوند. KHERAD_APPS_PORT را درگاهی آزاد بگذارید (یا off، اگر نمی‌خواهیدشان).`,
    `Port ${port} is taken by another program: sites and clouds are not served. Set KHERAD_APPS_PORT to a free port (or to off, without them).`,
    '',
    '',
  ].join('\n')

/** The warning that pages of strangers can plant cookies for the console. */
const sharedCookies = ({ domain, parent }: SharedParent): string =>
  [
    `هشدار: ${domain} و KHERAD_BASE_URL هر دو زیر ${parent} هستند؛ صفحه‌های دیگران می‌توانند برای کنسول کوکی بگذارند. برای محتوای آن‌ها دامنهٔ ثبت‌شدهٔ دیگری بگذارید.`,
    `Warning: ${domain} and KHERAD_BASE_URL are both below ${parent}; pages of strangers can plant cookies for the console. Give their content another registered domain.`,
    '',
    '',
  ].join('\n')

/** The error with how to fix it, in Persian and English. */
export function refusal(error: Error, env: Env): string {
  const startRefusal =
    error instanceof StartRefused ? error : listening(error as Error & { code?: string }, env)
  return `${startRefusal.fa === undefined ? '' : `${startRefusal.fa}\n`}${startRefusal.message}\n`
}

interface ListenError extends Error {
  code?: string
  address?: string
  port?: number
}

function listening({ code, address, port }: ListenError, env: Env): StartRefused {
  const at = `${address ?? env.host}:${port ?? env.port}`
  const setting = settingOf(port, env)
  if (code === 'EADDRINUSE') {
    return new StartRefused(
      `${at} is taken by another program or another setting: stop it, or set ${setting} to a free port.`,
      `${at} در اختیار برنامه یا تنظیم دیگری است: آن را ببندید یا ${setting} را به درگاهی آزاد تغییر دهید.`,
    )
  }
  if (code === 'EACCES') {
    return new StartRefused(
      `${at} may not be opened by this user: set ${setting} to a port above 1023.`,
      `این کاربر اجازهٔ باز کردن ${at} را ندارد: ${setting} را بالای ۱۰۲۳ بگذارید.`,
    )
  }
  return new StartRefused(
    `${at} is no address of this machine: set KHERAD_HOST to 127.0.0.1 or 0.0.0.0.`,
    `${at} نشانی این دستگاه نیست: KHERAD_HOST را 127.0.0.1 یا 0.0.0.0 بگذارید.`,
  )
}

/** The setting that names a port. If several settings name it, KHERAD_PORT comes first, then KHERAD_APPS_PORT. */
function settingOf(port: number | undefined, env: Env): string {
  if (port === undefined || port === Number(env.port)) return 'KHERAD_PORT'
  return port === Number(env.variables['KHERAD_APPS_PORT']) ? 'KHERAD_APPS_PORT' : 'metrics.port'
}
