import { type OptionHelp, sentence } from '../command.ts'

export const auditPhrases = {
  list: sentence(
    'گزارش تغییرها: چه کسی دسترسی، پول یا تنظیمات را تغییر داد، تازه‌ترین نخست.',
    'The audit log: who changed access, money or settings, newest first.',
  ),
  none: sentence('در این گزارش چیزی نیست.', 'The log has nothing of that.'),
  more: (limit: number) =>
    sentence(
      `تنها ${limit.toLocaleString('fa-IR')} تغییر تازه‌تر نشان داده شد؛ با --limit بیشتر می‌بینید و با --operation کمتر.`,
      `Only the newest ${limit.toLocaleString('en-US')} are shown: --limit shows more of them, --operation fewer.`,
    ),
  twoPlaces: sentence(
    '--account و --installation با هم نمی‌آیند: تغییرهای کل سرور از آنِ هیچ حسابی نیستند.',
    '--account and --installation exclude each other: changes of the whole installation belong to no account.',
  ),
  ofOneAccount: sentence(
    'کلید مدیریتی حساب خودش را می‌بیند: --account و --installation را ننویسید.',
    'A management key sees its own account: leave out --account and --installation.',
  ),
  actors: {
    person: sentence('شخص', 'person'),
    key: sentence('کلید', 'key'),
    management_key: sentence('کلید مدیریتی', 'management key'),
    operator: sentence('گرداننده', 'operator'),
    system: sentence('سیستم', 'system'),
  },
}

export const auditColumns = {
  at: sentence('زمان', 'time'),
  actor: sentence('چه کسی', 'who'),
  operation: sentence('عملیات', 'operation'),
  target: sentence('چه چیزی', 'what'),
  before: sentence('پیش از آن', 'before'),
  after: sentence('پس از آن', 'after'),
  client: sentence('برنامه', 'client'),
}

export const auditOptions: OptionHelp = {
  account: {
    value: 'ID',
    about: sentence('تنها تغییرهای این حساب', 'only changes of this account'),
  },
  since: {
    value: '2027-01-01|1405-10-11|30d',
    about: sentence(
      'تنها از این زمان: روز میلادی یا شمسی، یا مدتی پیش از اکنون',
      'only since then: a Gregorian or Jalali day, or so long ago',
    ),
  },
  operation: {
    value: 'BEGINNING',
    about: sentence(
      'تنها عملیاتی که نامشان چنین آغاز می‌شود، مانند keys.',
      'only operations whose names begin so, such as keys.',
    ),
  },
  limit: {
    value: 'N',
    about: sentence('چند تغییر، تا ۱۰٬۰۰۰؛ در نبودش ۱۰۰', 'how many, up to 10,000; 100 when left out'),
  },
  installation: {
    value: '',
    about: sentence('تنها تغییرهای کل سرور', 'only those of the whole installation'),
  },
}
