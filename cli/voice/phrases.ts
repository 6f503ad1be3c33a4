import { type OptionHelp, sentence } from '../command.ts'

export const callPhrases = {
  list: sentence(
    'تماس‌های صوتی جاری همهٔ حساب‌ها، تازه‌ترین نخست؛ با --all تماس‌های پایان‌یافته هم، حداکثر ۵۰۰ تماس.',
    'Voice calls under way of all accounts, newest first; with --all those that have ended too, at most 500 of them.',
  ),
  show: sentence(
    'یک تماس و هر گام رسید آن با هزینه‌اش. CALL شناسهٔ تماس یا درخواست آن است.',
    'A call, and each step of its receipt with what it has cost. CALL is its id, or that of its request.',
  ),
  end: sentence(
    'تماسی را پایان می‌دهد؛ پردازه‌ای که آن را دارد تا پنج ثانیه بعد تسویه‌اش می‌کند.',
    'Ends a call; the process that has it settles it within five seconds.',
  ),
  noCall: (named: string) =>
    sentence(
      `تماسی با شناسهٔ «${named}» نیست: kherad call list --all آن‌ها را نشان می‌دهد.`,
      `There is no call with the id "${named}": kherad call list --all shows them.`,
    ),
  noneNow: sentence('تماسی در جریان نیست.', 'No call is under way.'),
  noneYet: sentence('هنوز تماسی نبوده است.', 'There was no call yet.'),
  ended: sentence('تماس پایان یافت.', 'The call has ended.'),
  endedBefore: sentence('تماس پیش‌تر پایان یافته بود.', 'The call had ended before.'),
  asked: sentence(
    'پایان تماس خواسته شد، ولی هنوز تسویه نشده: پردازه‌ای که آن را داشت شاید مرده باشد و پردازه‌ای دیگر تا پایان مهلتش (KHERAD_LEASE_MS) تسویه‌اش می‌کند.',
    'Its end was requested, and it is not settled yet: the process that had it may be dead, and another one settles it when its lease (KHERAD_LEASE_MS) is over.',
  ),
  discarded: sentence('دورریخته', 'thrown away'),
  ambiguous: sentence('نامعلوم، حداکثر', 'not known, at most'),
  states: {
    starting: sentence('در حال برقراری', 'starting'),
    active: sentence('در جریان', 'active'),
    ended: sentence('پایان‌یافته', 'ended'),
  },
}

export const callColumns = {
  reason: sentence('علت پایان', 'ended by'),
  engine: sentence('موتور', 'engine'),
  transport: sentence('انتقال', 'transport'),
  seconds: sentence('ثانیه', 'seconds'),
  turns: sentence('پاسخ', 'turns'),
  credits: sentence('اعتبار', 'credits'),
  request: sentence('درخواست', 'request'),
  step: sentence('گام', 'step'),
  used: sentence('مصرف', 'used'),
}

export const callOptions: OptionHelp = {
  all: { value: '', about: sentence('تماس‌های پایان‌یافته هم', 'those that have ended too') },
  account: { value: 'ID', about: sentence('تنها تماس‌های این حساب', 'only those of this account') },
}
