import { type OptionHelp, sentence } from '../command.ts'

export const mailPhrases = {
  list: sentence(
    'نامه‌هایی که کانالی برای فرستادنشان نبود؛ کدها و پیوندها پوشیده‌اند.',
    'Mails for which there was no mail channel, with codes and links masked.',
  ),
  reveal: sentence(
    'پیوند دعوتی را که فرستاده نشد نشان می‌دهد؛ در گزارش تغییرها نوشته می‌شود.',
    'Shows the link of an invitation that could not be mailed; it is written to the audit log.',
  ),
  none: sentence('چنین نامه‌ای نیست.', 'There is no such mail.'),
  noMail: (id: string) =>
    sentence(
      `نامه‌ای با شناسهٔ ${id} نیست: kherad mail list همه را نشان می‌دهد.`,
      `There is no mail with the id ${id}: kherad mail list shows them all.`,
    ),
  notRevealable: sentence(
    'فقط پیوند دعوتی نشان داده می‌شود که فرستاده نشده و هنوز باز است. برای گذرواژهٔ فراموش‌شده kherad person reset پیوند تازه‌ای می‌سازد.',
    'Only the link of an invitation that could not be mailed and is still open is shown. For a forgotten password, kherad person reset makes a new link.',
  ),
  noState: (typed: string, known: readonly string[]) =>
    sentence(
      `حالت «${typed}» شناخته نیست؛ یکی از این‌ها را بنویسید: ${known.join('، ')}.`,
      `There is no state "${typed}"; write one of these: ${known.join(', ')}.`,
    ),
  revealed: (address: string) =>
    sentence(
      `هر کس این پیوند را داشته باشد می‌تواند دعوت ${address} را بپذیرد:`,
      `Whoever has this link may accept the invitation of ${address}:`,
    ),
  states: {
    queued: sentence('در صف', 'queued'),
    sent: sentence('فرستاده‌شده', 'sent'),
    refused: sentence('پذیرفته‌نشده', 'refused'),
    expired: sentence('بی‌موقع', 'expired'),
    unsent: sentence('فرستاده‌نشده', 'unsent'),
  },
  columns: {
    address: sentence('نشانی', 'address'),
    kind: sentence('گونه', 'kind'),
    subject: sentence('موضوع', 'subject'),
  },
}

export const mailOptions: OptionHelp = {
  state: {
    value: 'STATE',
    about: sentence(
      'queued، sent، refused، expired، unsent (پیش‌فرض) یا all',
      'queued, sent, refused, expired, unsent (the default) or all',
    ),
  },
}
