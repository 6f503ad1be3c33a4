/** The findings of the doctor about the configuration, its models and what is called outside, and after a colon how to fix them. */
import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

export const providerPhrases = {
  config: (file: string | undefined) =>
    file === undefined
      ? sentence('فایل پیکربندی نیست و لازم هم نیست.', 'There is no configuration file, and none is needed.')
      : sentence(`${file} درست است.`, `${file} is valid.`),
  silentProvider: (addresses: string) =>
    sentence(
      `${addresses} پاسخ نداد: آن را راه بیندازید یا متغیری را که نامش را گفته (مانند OLLAMA_HOST یا SPEACHES_HOST) درست کنید.`,
      `${addresses} did not answer: start it, or correct the variable that names it (such as OLLAMA_HOST or SPEACHES_HOST).`,
    ),

  priced: (count: number, free: number) =>
    sentence(
      `هر ${persianDecimal(count)} مدل بها دارند؛ ${persianDecimal(free)} تا رایگان‌اند.`,
      `All ${count} models have a price; ${free} of them are free.`,
    ),
  unpriced: (ids: string) =>
    sentence(`بها ندارند: ${ids}: pricing را بنویسید.`, `Without a price: ${ids}: write their pricing.`),
  shutDown: (models: string) =>
    sentence(
      `فروشنده خاموششان کرده است: ${models}. مدل دیگری در فایل پیکربندی بنویسید.`,
      `Switched off by their vendors: ${models}. Write other models in the configuration file.`,
    ),
  shutsDown: (models: string) =>
    sentence(
      `فروشنده به‌زودی خاموششان می‌کند: ${models}. جایگزینشان را در فایل پیکربندی بنویسید.`,
      `Will be switched off by their vendors: ${models}. Write their replacements in the configuration file.`,
    ),

  provider: (ms: number) =>
    sentence(`در ${persianDecimal(ms)} میلی‌ثانیه پاسخ داد.`, `Answered within ${ms} ms.`),
  providerThrough: (ms: number, proxy: string) =>
    sentence(
      `از راه ${proxy} در ${persianDecimal(ms)} میلی‌ثانیه پاسخ داد.`,
      `Answered through ${proxy} within ${ms} ms.`,
    ),
  providerKey: (detail: string) =>
    sentence(
      `کلید آن پذیرفته نشد (${detail}): کلید را در محیط یا فایل پیکربندی درست کنید.`,
      `Refused our key (${detail}): correct the key in the environment or the configuration file.`,
    ),
  providerAway: (address: string, detail: string) =>
    sentence(
      `به ${address} دسترسی نیست (${detail}): نشانی و شبکه را بررسی کنید.`,
      `Cannot be reached at ${address} (${detail}): check the address and the network.`,
    ),
  providerSlow: (seconds: number) =>
    sentence(
      `در ${persianDecimal(seconds)} ثانیه پاسخ نداد: سرویس و شبکه را بررسی کنید.`,
      `Did not answer within ${seconds} s: check the service and the network.`,
    ),
  providerWrong: (address: string, detail: string) =>
    sentence(
      `پاسخ ${address} پاسخ چنین سرویسی نیست (${detail}): base_url را بررسی کنید (اغلب به /v1 می‌انجامد).`,
      `${address} does not answer as such a service does (${detail}): check base_url (it often ends in /v1).`,
    ),
  providerTrouble: (detail: string) =>
    sentence(
      `اکنون در زحمت است (${detail}): کمی دیگر دوباره بیازمایید.`,
      `Is in trouble now (${detail}): try again in a while.`,
    ),

  vendorModels: (count: number) =>
    sentence(
      `هر ${persianDecimal(count)} مدل استقرارها را دارد.`,
      `Has ${count === 1 ? 'the one model' : `all ${count} models`} that deployments name.`,
    ),
  vendorLacks: (missing: readonly { model: string; nearest: string | undefined }[]) =>
    sentence(
      `این‌ها را ندارد: ${missing.map(({ model, nearest }) => (nearest ? `${model} (شاید ${nearest})` : model)).join('، ')}: نام را در deployments درست کنید.`,
      `Does not have: ${missing.map(({ model, nearest }) => (nearest ? `${model} (perhaps ${nearest})` : model)).join(', ')}: correct the name in deployments.`,
    ),

  proxy: (users: string) => sentence(`در دسترس است؛ از راه آن: ${users}`, `Is there; through it: ${users}`),
  proxyBroken: (detail: string) =>
    sentence(`از این پراکسی کاری برنیامد: ${detail}.`, `Nothing comes through this proxy: ${detail}.`),
  certificates: (count: number, day: string) =>
    sentence(
      `${persianDecimal(count)} گواهی؛ نخستین در ${persianDecimal(day)} پایان می‌یابد.`,
      `${count} certificate${count === 1 ? '' : 's'}; the first ends on ${day}.`,
    ),
  certificatesOver: (day: string) =>
    sentence(
      `گواهی‌ای در آن از ${persianDecimal(day)} دیگر معتبر نیست: گواهی تازه را در فایل بنویسید.`,
      `A certificate in it ended on ${day}: write the new one into the file.`,
    ),

  mail: (server: string) =>
    sentence(
      `سرور ایمیل ${server} ورود را پذیرفت؛ نامه‌ای فرستاده نشد.`,
      `The mail server ${server} took our login; nothing was sent.`,
    ),
  mailWithoutAddress: () =>
    sentence(
      'سرور ایمیل ورود را پذیرفت، ولی نامه‌های اشخاص (ورود، دعوت، هشدار) نمی‌روند: نشانی همگانی این سرور را در KHERAD_BASE_URL بگذارید.',
      'The mail server took our login, but mails to people (sign-in, invitations, warnings) do not leave: set KHERAD_BASE_URL to the public address of this server.',
    ),
  mailBroken: ({ fa, en }: BilingualText) => sentence(`نامه‌ها نمی‌روند: ${fa}.`, `No mail leaves: ${en}.`),
  mailSlow: (seconds: number) =>
    sentence(
      `در ${persianDecimal(seconds)} ثانیه پاسخ نداد: mail.host، mail.port، mail.secure و شبکه را بررسی کنید.`,
      `Did not answer within ${seconds} s: check mail.host, mail.port, mail.secure and the network.`,
    ),
}
