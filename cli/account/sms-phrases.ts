import { type BilingualText, sentence } from '../command.ts'

export const smsPhrases = {
  test: sentence(
    'یک پیامک آزمایشی می‌فرستد و می‌گوید درگاه چه پاسخ داد؛ در سقف روز شمرده نمی‌شود.',
    'Sends one message to try the gateway, and says what it answered; it does not count for the day.',
  ),
  changed: sentence(
    'پیامک «شماره تغییر کرد» را می‌آزماید، نه پیامک کد را',
    'tries the message about a changed number in place of the one with a code',
  ),
  notConfigured: sentence(
    'فایل پیکربندی بخش sms ندارد: درگاه را آن‌جا تعریف کنید (docs/operations/sms.md).',
    'The configuration file has no section sms: describe the gateway there (docs/operations/sms.md).',
  ),
  noNumber: (typed: string) =>
    sentence(
      `«${typed}» شماره‌ای نیست که پیامک به آن برود: sms.prefixes را ببینید و شماره را مانند 09123456789 بنویسید.`,
      `"${typed}" is no number that messages go to: look at sms.prefixes, and write it as 09123456789.`,
    ),
  sent: (number: string) =>
    sentence(
      `درگاه پیامک به ${number} را پذیرفت. اگر تا دو دقیقه نرسید، گزارش خود درگاه را ببینید.`,
      `The gateway took the message to ${number}. If it has not come within two minutes, look at the report of the gateway itself.`,
    ),
  refused: ({ fa, en }: BilingualText) => sentence(`${fa}.`, `${en[0]!.toUpperCase()}${en.slice(1)}.`),
}
