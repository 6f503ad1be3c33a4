/** Tables as people write them, and what is true of them: computed here from the values before they were written down. */

export interface Truth {
  rows: number
  /** In cents, by the right spelling. */
  byCity: Map<string, bigint>
  byMonth: Map<string, bigint>
  sum: bigint
  median: string
  min: bigint
  max: bigint
  weights: bigint
  customers: number
  discounts: bigint
}

const spellings: Record<string, string[]> = {
  تهران: ['تهران', 'تهران ', 'تهران\u200f'],
  کرمان: ['كرمان', 'کرمان', 'كرمان ', 'کرمان'],
  شیراز: ['شیراز', 'شيراز'],
  خرم‌آباد: ['خرم‌آباد', 'خرم آباد', 'خرم  آباد'],
  مشهد: ['مشهد'],
}
const months = 'فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند'.split(' ')

/** Numbers that look like chance and are the same every time. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const persian = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCharCode(0x6f0 + Number(digit)))
const arabic = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
const grouped = (digits: string, sign: string): string => digits.replace(/\B(?=(\d{3})+$)/g, sign)

/** An amount of cents in one of the ways in which people write it. */
function amountText(cents: bigint, way: number): string {
  const size = cents < 0n ? -cents : cents
  const [whole, fraction] = [String(size / 100n), String(size % 100n).padStart(2, '0')]
  const isNegative = cents < 0n
  switch (way % 6) {
    case 0:
      return `${isNegative ? '-' : ''}${grouped(whole, ',')}.${fraction}`
    case 1:
      return `${isNegative ? '−' : ''}${persian(grouped(whole, '٬'))}٫${persian(fraction)}`
    case 2:
      return isNegative ? `(${whole}.${fraction})` : `${whole}.${fraction}`
    case 3:
      return `\u200e${arabic(grouped(whole, '٬'))}٫${arabic(fraction)}${isNegative ? '-' : ''}`
    case 4:
      return `${isNegative ? '–' : ''}${persian(whole)}.${fraction}`
    default:
      return fraction === '00'
        ? `${isNegative ? '-' : ''}${whole}`
        : `${isNegative ? '-' : ''}${whole}.${fraction}`
  }
}

function dayTextOf(month: number, day: number, way: number): string {
  const [m, d] = [String(month).padStart(2, '0'), String(day).padStart(2, '0')]
  switch (way % 5) {
    case 0:
      return `1403/${m}/${d}`
    case 1:
      return persian(`1403/${month}/${day}`)
    case 2:
      return `${persian(String(day))} ${months[month - 1]} ${persian('1403')}`
    case 3:
      return `1403-${m}-${d} 14:05`
    default:
      return `شنبه ${day} ${months[month - 1]} ۱۴۰۳`
  }
}

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export function messyTable(rows: number, seed = 7): { lines: string[]; truth: Truth } {
  const random = chance(seed)
  const cities = Object.keys(spellings)
  const lines = ['گزارش فروش سال ۱۴۰۳,,,,,,', 'تاریخ,شهر,مبلغ,وزن,تخفیف,مشتری,یادداشت']
  const amounts: bigint[] = []
  const customers = new Set<number>()
  const truth: Truth = {
    rows,
    byCity: new Map(),
    byMonth: new Map(),
    sum: 0n,
    median: '',
    min: 0n,
    max: 0n,
    weights: 0n,
    customers: 0,
    discounts: 0n,
  }
  const put = (sums: Map<string, bigint>, key: string, cents: bigint) =>
    sums.set(key, (sums.get(key) ?? 0n) + cents)
  for (let row = 0; row < rows; row += 1) {
    const city = cities[random(cities.length)]!
    const month = 1 + random(12)
    const day = 1 + random(month <= 6 ? 31 : 30)
    const cents = BigInt(random(2_000_000_000)) - 100_000_000n
    const tenths = BigInt(random(5_000))
    const discount = random(60)
    const customer = random(Math.max(2, Math.floor(rows / 3)))
    amounts.push(cents)
    customers.add(customer)
    put(truth.byCity, city, cents)
    put(truth.byMonth, `1403/${String(month).padStart(2, '0')}`, cents)
    truth.sum += cents
    truth.weights += tenths
    truth.discounts += BigInt(discount)
    const own = spellings[city]!
    const weight = `${tenths / 10n}/${tenths % 10n}`
    const note = row % 40 === 3 ? 'دو سطر\nبا "گیومه"، و ویرگول' : row % 7 === 0 ? '' : `سفارش ${row}`
    lines.push(
      [
        dayTextOf(month, day, random(5)),
        own[random(own.length)]!,
        amountText(cents, random(6)),
        row % 2 === 0 ? persian(weight) : weight,
        row % 3 === 0 ? `${persian(String(discount))}٪` : `${discount}%`,
        `C-${customer}`,
        note,
      ]
        .map(quoted)
        .join(','),
    )
    if (row % 1_000 === 500) lines.push('', lines[1]!)
  }
  const sorted = amounts.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const middle = sorted.length >> 1
  const twice = sorted.length % 2 === 1 ? 2n * sorted[middle]! : sorted[middle - 1]! + sorted[middle]!
  lines.push(`جمع کل,,${amountText(truth.sum, 1)},,,,`)
  return {
    lines,
    truth: {
      ...truth,
      median: String(Number(twice) / 200),
      min: sorted[0]!,
      max: sorted.at(-1)!,
      customers: customers.size,
    },
  }
}
