/** Messages of the program at its start, in Persian and English. */
import type { Env } from '#platform/config'
import { StartRefused } from '#platform/errors'
import type { Kherad } from './server.ts'

export function welcome(kherad: Kherad): string {
  const { app, first, server, discovered } = kherad
  const url = app.config.baseUrl
  const key = first ? (first.shownSecret ?? '$KHERAD_BOOTSTRAP_KEY') : '$KHERAD_KEY'
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
    ...(server.url === url ? [] : [`  گوش می‌دهد در / listens on: ${server.url}`]),
    ...(first?.shownSecret
      ? ['', 'کلید (فقط همین یک بار نشان داده می‌شود) / key (shown only this once):', `  ${first.shownSecret}`]
      : []),
    '',
    `ارائه‌دهندگان / providers: ${providers}`,
    `مدل‌ها / models: ${shown}`,
    ...(sandboxOnly
      ? [
          'فقط مدل‌های شبیه‌ساز sandbox در دسترس‌اند؛ برای مدل واقعی کلیدی مانند OPENAI_API_KEY یا kherad.config.yaml بدهید.',
          'Only the sandbox simulators are here; for real models set a key such as OPENAI_API_KEY or write kherad.config.yaml.',
        ]
      : []),
    ...discovered.silent.map((address) => `پاسخ نداد / did not answer: ${address}`),
    '',
    'نخستین درخواست / first call:',
    `  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\`,
    `    -d '{"messages":[{"role":"user","content":"سلام! خودت را معرفی کن."}]}'`,
    '',
    `مستندات / docs: ${url}/docs`,
    '',
    '',
  ].join('\n')
}

/** The error with how to fix it, in Persian and English. */
export function refusal(error: Error, env: Env): string {
  const startRefusal =
    error instanceof StartRefused ? error : listening(error as Error & { code?: string }, env)
  return `${startRefusal.fa === undefined ? '' : `${startRefusal.fa}\n`}${startRefusal.message}\n`
}

function listening(error: Error & { code?: string }, env: Env): StartRefused {
  const address = `${env.host}:${env.port}`
  if (error.code === 'EADDRINUSE') {
    return new StartRefused(
      `${address} is taken by another program: stop it, or set KHERAD_PORT to a free port.`,
      `${address} در اختیار برنامهٔ دیگری است: آن را ببندید یا KHERAD_PORT را به درگاهی آزاد تغییر دهید.`,
    )
  }
  if (error.code === 'EACCES') {
    return new StartRefused(
      `${address} may not be opened by this user: set KHERAD_PORT to a port above 1023.`,
      `این کاربر اجازهٔ باز کردن ${address} را ندارد: KHERAD_PORT را بالای ۱۰۲۳ بگذارید.`,
    )
  }
  return new StartRefused(
    `${address} is no address of this machine: set KHERAD_HOST to 127.0.0.1 or 0.0.0.0.`,
    `${address} نشانی این دستگاه نیست: KHERAD_HOST را 127.0.0.1 یا 0.0.0.0 بگذارید.`,
  )
}
