/** Texts of a reconciliation, Persian and English. */
import type { Difference, InvoiceError, RowVerdict } from '#account/accounting'
import { persianDecimal } from '#platform/words'
import { type BilingualText, sentence } from '../../command.ts'

export const verdictTitles: Readonly<Record<RowVerdict, BilingualText>> = {
  matched: sentence('سازگار', 'agree'),
  different: sentence('با ارقام دیگر', 'other figures'),
  invoice_only: sentence('بی‌رسید', 'no receipt'),
  receipt_only: sentence('نیامده در صورت‌حساب', 'not invoiced'),
  failed_invoiced: sentence('ناموفق ولی حساب‌شده', 'failed, yet invoiced'),
  duplicate: sentence('تکراری', 'duplicate'),
}

export const reconcileTitles = {
  kind: sentence('وضعیت', 'kind'),
  calls: sentence('درخواست', 'calls'),
  theirTokens: sentence('توکن صورت‌حساب', 'invoiced tokens'),
  theirUsd: sentence('دلار صورت‌حساب', 'invoiced USD'),
  ourTokens: sentence('توکن رسیدها', 'receipted tokens'),
  ourUsd: sentence('دلار رسیدها', 'receipted USD'),
  total: sentence('همه', 'total'),
}

export const reconcilePhrases = {
  notADate: (option: string, typed: string) =>
    sentence(
      `${option} برابر «${typed}» است: روزی میلادی مانند 2026-11-30 یا لحظه‌ای مانند 2026-11-30T12:00:00Z بنویسید.`,
      `${option} is "${typed}": write a day such as 2026-11-30, or a moment such as 2026-11-30T12:00:00Z.`,
    ),
  backwards: () =>
    sentence('--to پیش از --from است: آن دو را جابه‌جا کنید.', '--to is before --from: exchange them.'),
  notAMap: (typed: string, known: string) =>
    sentence(
      `--map برابر «${typed}» است: چیزی مانند id=request_id,input=usage.prompt_tokens بنویسید؛ نام‌ها: ${known}.`,
      `--map is "${typed}": write something like id=request_id,input=usage.prompt_tokens; the names are ${known}.`,
    ),
  noFile: (file: string, reason: string) =>
    sentence(
      `${file} خوانده نمی‌شود (${reason}): نشانی فایل را درست کنید.`,
      `${file} cannot be read (${reason}): correct its path.`,
    ),
  unreadable: (file: string, { line, why, shown }: InvoiceError) => {
    const [fa, en] = troubles[why](shown)
    return sentence(`${file}، خط ${persianDecimal(line)}: ${fa}`, `${file}, line ${line}: ${en}`)
  },
  heading: (provider: string, from: string, to: string, rows: bigint, outside: bigint) =>
    sentence(
      `${provider}، از ${persianDecimal(from)} تا ${persianDecimal(to)} (UTC): ${persianDecimal(rows)} سطر در صورت‌حساب${outside > 0n ? `، ${persianDecimal(outside)} سطر بیرون از این تاریخ‌ها` : ''}.`,
      `${provider}, ${from} to ${to} (UTC): ${rows} rows on the invoice${outside > 0n ? `, ${outside} of them outside these dates` : ''}.`,
    ),
  agrees: () => sentence('همه‌چیز می‌خواند.', 'Everything agrees.'),
  differs: (count: bigint) =>
    sentence(`${persianDecimal(count)} اختلاف:`, `${count} ${count === 1n ? 'difference' : 'differences'}:`),
  noReceipts: (provider: string) =>
    sentence(
      `هیچ رسیدی در این تاریخ‌ها نام ${provider} را ندارد: --provider و DATABASE_URL را بررسی کنید.`,
      `No receipt of these dates names ${provider}: check --provider and DATABASE_URL.`,
    ),
  running: (count: bigint) =>
    sentence(
      `${persianDecimal(count)} درخواست هنوز در حال اجراست؛ کمی دیگر دوباره بسنجید.`,
      `${count} of our calls ${count === 1n ? 'is' : 'are'} still running; compare again in a while.`,
    ),
  ambiguous: (count: bigint, credits: string) =>
    sentence(
      `${persianDecimal(count)} رسید مبهم است (پایانش در خاموشی ناگهانی دیده نشد) و ${persianDecimal(credits)} اعتبار گرو آن حساب شد؛ شاید سطری «بی‌رسید» از آن باشد.`,
      `${count} ${count === 1n ? 'receipt is' : 'receipts are'} ambiguous (a crash hid the end) and charged at the hold, ${credits} credits; a row without a receipt may be of those.`,
    ),
  lost: (count: bigint, credits: string) =>
    sentence(
      `پایان ${persianDecimal(count)} درخواست از کارهای ماندگار در خاموشی ناگهانی دیده نشد و روی هم ${persianDecimal(credits)} اعتبار، بیشترین هزینهٔ ممکن، حساب شد؛ شاید سطری «بی‌رسید» از آن‌ها باشد.`,
      `A crash hid the end of ${count} ${count === 1n ? 'call' : 'calls'} of durable work, charged at the most that ${count === 1n ? 'it' : 'they'} could cost, ${credits} credits; a row without a receipt may be of those.`,
    ),
  ledgerWhole: () => sentence('دفترها درست‌اند.', 'The ledger itself is whole.'),
  ledgerBroken: (count: number, first: string) =>
    sentence(
      `${persianDecimal(count)} ناسازگاری در خود دفترها، نخستین: ${first}: kherad doctor را اجرا کنید.`,
      `${count} contradictions in the ledger itself, the first: ${first}: run kherad doctor.`,
    ),
}

const troubles: Readonly<Record<InvoiceError['why'], (shown: string) => readonly [string, string]>> = {
  csv: (shown) => [`CSV درست نیست (${shown}).`, `this is no CSV (${shown}).`],
  json: () => ['در هر خط باید یک شیء JSON باشد.', 'each line has to be one JSON object.'],
  column: (shown) => [
    `ستون ${shown} نیست: --map را درست کنید.`,
    `there is no column ${shown}: correct --map.`,
  ],
  time: (shown) => [`«${shown}» زمان نیست.`, `"${shown}" is no time.`],
  tokens: (shown) => [`«${shown}» شمار توکن نیست.`, `"${shown}" is no number of tokens.`],
  usd: (shown) => [`«${shown}» مبلغ دلاری نیست.`, `"${shown}" is no amount of USD.`],
  nothing: () => [
    'نه شناسهٔ درخواست دارد و نه زمان و مدل: ستون‌ها را با --map بنویسید.',
    'it has neither the id of a call nor time and model: name the columns with --map.',
  ],
}

/** Why a row and a receipt do not agree, and what to do. */
export function explanation(one: Difference): BilingualText {
  switch (one.verdict) {
    case 'different': {
      const why = one.estimated
        ? sentence(' شمارش ما برآورد است، چون گزارشی نرسید.', ' Ours is an estimate: no report came.')
        : sentence('', '')
      return sentence(`${changes(one, 'fa')}.${why.fa}`, `${changes(one, 'en')}.${why.en}`)
    }
    case 'invoice_only':
      return missingReceipt[one.receipt_state ?? 'none']
    case 'receipt_only':
      return sentence(
        'حساب شده ولی در صورت‌حساب نیست: شاید در صورت‌حساب بعدی بیاید.',
        'Charged, but not on the invoice: it may come on the next.',
      )
    case 'failed_invoiced':
      return sentence(
        `تلاش با ${one.outcome} پایان یافت و از کسی کم نشد، ولی در صورت‌حساب هست: از ارائه‌دهنده بخواهید.`,
        `The attempt ended with ${one.outcome} and nobody was charged for it, yet it is invoiced: claim it of the provider.`,
      )
    default:
      return sentence(
        'این درخواست سطر دیگری هم دارد: از ارائه‌دهنده بخواهید.',
        'The same call has another row: claim it of the provider.',
      )
  }
}

const missingReceipt = {
  none: sentence(
    'هیچ رسیدی این درخواست را نمی‌شناسد: هزینه‌ای گم‌شده، یا کلید ارائه‌دهنده جای دیگری هم به کار می‌رود.',
    'No receipt knows this call: a lost charge, or the key of the provider is in use elsewhere too.',
  ),
  running: sentence('رسید آن هنوز باز است.', 'Its receipt is still open.'),
  ambiguous: sentence(
    'رسید آن مبهم است: پایانش دیده نشد و گرو آن حساب شد.',
    'Its receipt is ambiguous: the end was not seen, and its hold was charged.',
  ),
  lost_step: sentence(
    'از گامی از یک کار ماندگار است که پایانش در خاموشی ناگهانی دیده نشد: با بیشترین هزینهٔ ممکن حساب شد.',
    'It is of a step of durable work whose end a crash hid: that was charged at the most that it could cost.',
  ),
  other: sentence(
    'رسید آن هست ولی از این تلاش چیزی نمی‌گوید.',
    'Its receipt exists, but has nothing about this attempt.',
  ),
}

function changes(one: Difference, language: 'fa' | 'en'): string {
  const show = (value: bigint | string): string => (language === 'fa' ? persianDecimal(value) : String(value))
  const parts: [string, bigint | string | null, bigint | string | null][] = [
    [language === 'fa' ? 'ورودی' : 'input', one.our_input, one.their_input],
    [language === 'fa' ? 'خروجی' : 'output', one.our_output, one.their_output],
    ['USD', one.our_usd, one.their_usd],
  ]
  return parts
    .filter(([, ours, theirs]) => ours !== null && theirs !== null && String(ours) !== String(theirs))
    .map(([what, ours, theirs]) =>
      language === 'fa'
        ? `${what}: رسید ${show(ours ?? '')}، صورت‌حساب ${show(theirs ?? '')}`
        : `${what}: receipt ${show(ours ?? '')}, invoice ${show(theirs ?? '')}`,
    )
    .join(language === 'fa' ? '؛ ' : '; ')
}
