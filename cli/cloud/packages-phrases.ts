import { type OptionHelp, sentence } from '../command.ts'

export const packagePhrases = {
  give: sentence(
    'بسته‌ای از clouds.packages پیکربندی را به حساب می‌دهد، برای یک بک‌اند اختصاصی.',
    'Gives an account a package of clouds.packages in the configuration, for one dedicated app back-end.',
  ),
  list: sentence(
    'بسته‌های حساب‌ها و بک‌اندی که هر یک در کار آن است، تازه‌ترین نخست.',
    'The packages of accounts and the app back-end that uses each, newest first.',
  ),
  renew: sentence(
    'بسته را تا زمانی دیگر معتبر می‌کند؛ بستهٔ پایان‌یافته دوباره برقرار می‌شود و بک‌اندش باز پاسخ می‌دهد.',
    'Makes a package valid until another time; one that was ended stands again, and its app back-end answers again.',
  ),
  end: sentence(
    'به بسته پایان می‌دهد: بک‌اندش از همین دم فقط خوانده می‌شود و هفت روز بعد معلق می‌شود. چیزی حذف نمی‌شود.',
    'Ends a package: its app back-end only reads from now on and is suspended seven days later. Nothing is deleted.',
  ),
  given: sentence('بسته داده شد.', 'The package is given.'),
  renewed: sentence('بسته تمدید شد.', 'The package is renewed.'),
  ended: sentence('بسته پایان یافت.', 'The package is ended.'),
  noneYet: sentence('هنوز بسته‌ای داده نشده است.', 'No package is given yet.'),
  none: (id: string) =>
    sentence(
      `بسته‌ای با شناسهٔ ${id} نیست: kherad cloud package list همه را نشان می‌دهد.`,
      `There is no package with the id ${id}: kherad cloud package list shows them all.`,
    ),
  unknown: (typed: string, known: readonly string[]) =>
    known.length === 0
      ? sentence(
          'پیکربندی بسته‌ای ندارد: نخست آن را زیر clouds.packages بنویسید.',
          'The configuration has no package: write one under clouds.packages first.',
        )
      : sentence(
          `پیکربندی بستهٔ «${typed}» ندارد؛ بسته‌ها: ${known.join('، ')}.`,
          `The configuration has no package "${typed}"; there are: ${known.join(', ')}.`,
        ),
  conflict: (id: string) =>
    sentence(
      `بستهٔ دیگری شناسهٔ ${id} را دارد: شناسهٔ تازه‌ای بدهید.`,
      `Another package has the id ${id}: give a new one.`,
    ),
  states: {
    active: sentence('برقرار', 'active'),
    unpaid: sentence('پرداخت‌نشده', 'unpaid'),
    ended: sentence('پایان‌یافته', 'ended'),
  },
}

export const packageColumns = {
  package: sentence('بسته', 'package'),
  cloud: sentence('بک‌اند', 'app back-end'),
  until: sentence('پرداخت تا', 'paid until'),
}

export const packageOptions: OptionHelp = {
  until: {
    value: 'DATE|never',
    about: sentence(
      'تا کی پرداخت شده است: روزی مانند 1406/01/01 یا 2027-03-21، یا مدتی مانند 30d',
      'until when it is paid for: a day such as 2027-03-21 or 1406/01/01, or a time such as 30d',
    ),
  },
  id: {
    value: 'ID',
    about: sentence(
      'شناسهٔ بسته؛ با همان شناسه دوبار داده نمی‌شود',
      'its id; with the same one it is given once',
    ),
  },
  account: { value: 'ID', about: sentence('تنها بسته‌های این حساب', 'only those of this account') },
  package: {
    value: 'PACKAGE',
    about: sentence('از این پس این بستهٔ پیکربندی', 'from now on this package of the configuration'),
  },
}
