import { type OptionHelp, sentence } from '../command.ts'
import { serverOptions } from '../server/phrases.ts'

export const usersPhrases = {
  list: sentence('کاربران برنامه', 'the users of the app'),
  block: sentence(
    'کاربری را مسدود می‌کند و همهٔ نشست‌هایش را پایان می‌دهد؛ USER شناسه یا نشانی ایمیل اوست',
    'blocks a user and ends all sessions; USER is the id or address',
  ),
  unblock: sentence('مسدودی کاربر را برمی‌دارد', 'lets a blocked user sign in again'),
  delete: sentence(
    'کاربری را با نشست‌ها و فایل‌های خصوصی‌اش حذف می‌کند؛ ردیف‌هایش می‌مانند',
    'deletes a user with sessions and private files; rows stay',
  ),
  link: sentence(
    'پیوندی برای یک کاربر که تنها باید به خود او برسد؛ بی --type پیوند گذرواژهٔ تازه است',
    'a link for one user, to be handed to nobody else; without --type one for a new password',
  ),
  blocked: sentence('کاربر مسدود شد.', 'The user is blocked.'),
  unblocked: sentence('مسدودی کاربر برداشته شد.', 'The user may sign in again.'),
  gone: sentence('کاربر حذف شد.', 'The user is deleted.'),
  secret: sentence(
    'هر که این پیوند را دارد به حساب وارد می‌شود؛ یک بار کار می‌کند.',
    'Whoever has this link gets into the account; it acts once.',
  ),
  unknown: (typed: string) =>
    sentence(
      `کاربری با شناسه یا نشانی «${typed}» نیست: kherad cloud users list همه را نشان می‌دهد.`,
      `There is no user with the id or address "${typed}": kherad cloud users list shows them all.`,
    ),
  badType: (typed: string) =>
    sentence(
      `--type برابر «${typed}» است: recovery، magiclink یا signup بنویسید.`,
      `--type is "${typed}": write recovery, magiclink or signup.`,
    ),
  columns: {
    id: sentence('شناسه', 'id'),
    email: sentence('نشانی', 'address'),
    state: sentence('وضعیت', 'state'),
    created: sentence('ساخته‌شده', 'created'),
    lastSignIn: sentence('آخرین ورود', 'last sign-in'),
  },
  states: {
    blocked: sentence('مسدود', 'blocked'),
    anonymous: sentence('ناشناس', 'anonymous'),
    unconfirmed: sentence('تأییدنشده', 'not confirmed'),
    confirmed: sentence('تأییدشده', 'confirmed'),
  },
}

export const usersOptions: OptionHelp = {
  ...serverOptions,
  type: {
    value: 'TYPE',
    about: sentence(
      'recovery، magiclink یا signup',
      'recovery (a new password), magiclink (a sign-in) or signup (the confirmation)',
    ),
  },
  to: {
    value: 'URL',
    about: sentence('جایی که پیوند به آن می‌رسد؛ بی آن site_url', 'where the link leads; without it site_url'),
  },
}
