import { type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

export const authPhrases = {
  auth: sentence(
    'تنظیم‌های ورود کاربران برنامه؛ بی گزینه فقط نشان می‌دهد، و آنچه نوشته نشود همان می‌ماند',
    'how users sign in to the app; without an option it only shows, and what is not written stays as it is',
  ),
  columns: {
    siteUrl: sentence('نشانی برنامه', 'address of the app'),
    signup: sentence('ثبت‌نام', 'sign-up'),
    redirects: sentence('نشانی‌های دیگر', 'further addresses'),
    anonymous: sentence('ورود بی نشانی', 'sign-in without an address'),
    mail: sentence('نامه', 'mails'),
  },
  signup: { open: sentence('باز', 'open'), closed: sentence('بسته', 'closed') },
  anonymous: { on: sentence('روشن', 'on'), off: sentence('خاموش', 'off') },
  mail: {
    configured: sentence('فرستاده می‌شود', 'are sent'),
    not_configured: sentence(
      'فرستاده نمی‌شود: این سرور SMTP ندارد و نشانی‌ها تأییدشده به شمار می‌آیند',
      'are not sent: this server has no SMTP, and addresses count as confirmed',
    ),
  },
  badSignup: (typed: string) =>
    sentence(
      `--signup برابر «${typed}» است: open یا closed بنویسید.`,
      `--signup is "${typed}": write open or closed.`,
    ),
  badAnonymous: (typed: string) =>
    sentence(
      `--anonymous برابر «${typed}» است: on یا off بنویسید.`,
      `--anonymous is "${typed}": write on or off.`,
    ),
  needsSiteUrl: () =>
    sentence(
      'این بک‌اند هنوز نشانی برنامه ندارد: ‎--site-url را هم بنویسید.',
      'This app back-end has no address of its app yet: write --site-url too.',
    ),
}

export const authOptions: OptionHelp = {
  ...serverOptions,
  'site-url': {
    value: 'URL',
    about: sentence(
      'نشانی برنامه؛ پیوندهای نامه‌ها به آن می‌رسند',
      'the address of the app, where links of mails lead',
    ),
  },
  signup: { value: 'OPEN', about: sentence('open یا closed', 'open or closed') },
  anonymous: {
    value: 'ON',
    about: sentence(
      'on یا off: آیا بی نشانی هم می‌توان وارد شد',
      'on or off: whether people may sign in without an address',
    ),
  },
  'redirect-url': {
    value: 'URL',
    about: sentence(
      'نشانی دیگری که پیوندها می‌توانند به آن برسند؛ تکرارشدنی، و جای همهٔ پیشین‌ها را می‌گیرد',
      'a further address that links may lead to; may be repeated, and takes the place of all before',
    ),
  },
}
