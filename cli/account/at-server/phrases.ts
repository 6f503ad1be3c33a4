import { type BilingualText, type OptionHelp, sentence } from '../../command.ts'

export const serverWords = {
  wholeCredits: (what: string) =>
    sentence(
      `${what}: سقف در سرور به اعتبار درست نوشته می‌شود، بی اعشار.`,
      `${what}: at a server a cap is whole credits, without a fraction.`,
    ),
  scopesNeeded: () =>
    sentence(
      'دسترسی‌های کلید را با --scopes بنویسید، مانند models:read,responses:write.',
      'Write the scopes of the key with --scopes, such as models:read,responses:write.',
    ),
  badThresholds: () =>
    sentence(
      '--thresholds درصدهایی از ۱ تا ۱۰۰ است با ویرگول میانشان، مانند 50,90؛ none یعنی آستانه‌های سرور.',
      '--thresholds are percentages from 1 to 100 with commas between them, such as 50,90; none are those of the server.',
    ),
  noRequest: () => sentence('درخواستی با این نشانه‌ها نیست.', 'There is no request like that.'),
  noUsage: () => sentence('در این بازه مصرفی نیست.', 'There is no usage in this range.'),
  more: () =>
    sentence(
      'بیش از این هست: --limit را بزرگ‌تر یا بازه را کوتاه‌تر کنید.',
      'There is more: raise --limit or shorten the range.',
    ),
}

export const columns = {
  balance: sentence('موجودی', 'balance'),
  reserved: sentence('کنارگذاشته', 'held'),
  thresholds: sentence('آستانه‌ها', 'thresholds'),
  timeZone: sentence('منطقهٔ زمانی', 'time zone'),
  maker: sentence('سازنده', 'made by'),
  at: sentence('زمان', 'at'),
  endpoint: sentence('مسیر', 'endpoint'),
  status: sentence('کد', 'status'),
  credits: sentence('اعتبار', 'credits'),
  requests: sentence('درخواست‌ها', 'requests'),
  failures: sentence('ناموفق', 'failed'),
  from: sentence('از', 'from'),
  to: sentence('تا', 'to'),
  key: sentence('کلید', 'key'),
  person: sentence('شخص', 'person'),
  customer: sentence('مشتری', 'customer'),
} satisfies Record<string, BilingualText>

export const serverHelp: OptionHelp = {
  'time-zone': {
    value: 'ZONE',
    about: sentence('منطقهٔ زمانی، مانند Asia/Tehran', 'a time zone, such as Asia/Tehran'),
  },
  thresholds: {
    value: '50,90|none',
    about: sentence(
      'درصدهایی از سقف‌ها که خبر داده می‌شوند؛ none یعنی آستانه‌های سرور',
      'percentages of caps at which you are notified; none are those of the server',
    ),
  },
  from: {
    value: '2026-11-01',
    about: sentence('نخستین روز یا لحظهٔ آغاز', 'the first day, or the moment of the beginning'),
  },
  to: {
    value: '2026-11-30',
    about: sentence(
      'آخرین روز، که خودش هم هست، یا لحظهٔ پایان',
      'the last day, itself included, or the moment of the end',
    ),
  },
  interval: {
    value: 'day|week|month|total',
    about: sentence(
      'طول هر دوره؛ در نبودش همهٔ بازه',
      'the length of a period; the whole range when left out',
    ),
  },
  calendar: {
    value: 'jalali|gregorian',
    about: sentence(
      'تقویم ماه‌ها؛ در نبودش jalali، و به انگلیسی gregorian',
      'whose months are meant; gregorian when left out, in Persian jalali',
    ),
  },
  'group-by': {
    value: 'A,B',
    about: sentence(
      'یک یا دو تا از project، model، endpoint، key، person و customer',
      'one or two of project, model, endpoint, key, person and customer',
    ),
  },
  model: { value: 'ID', about: sentence('تنها این مدل', 'only this model') },
  customer: { value: 'ID', about: sentence('تنها این مشتری', 'only this customer') },
  state: { value: 'running|completed|failed', about: sentence('تنها این وضعیت', 'only this state') },
  limit: { value: 'N', about: sentence('بیشترین شمار ردیف‌ها، تا ۱۰۰', 'how many rows at most, up to 100') },
  project: {
    value: 'ID',
    about: sentence('پروژه؛ در نبودش همهٔ پروژه‌های کلید', 'the project; all that the key sees when left out'),
  },
}
