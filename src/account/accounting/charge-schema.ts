import { Type } from 'typebox'
import { type CostUnit, costUnits } from '#core/models'
import { described, nullable, oneOf, safeInteger } from '#platform/schema'

const microcredits = (en: string, fa: string) => Type.String(described(en, fa))

/** How the charge of a request was computed: what the lines and `rounding_microcredits` sum to, and `adjustment`, is the charge. */
export const Charge = Type.Object({
  lines: Type.Array(
    Type.Object({
      unit: oneOf(...(Object.keys(costUnits) as CostUnit[])),
      quantity: Type.Integer(safeInteger),
      price_microcredits: microcredits(
        'The price of `per` units, at the moment of the charge.',
        'بهای `per` واحد، در لحظهٔ حساب‌کردن.',
      ),
      per: Type.Integer({
        minimum: 1,
        ...described(
          'How many units the price is for: 1, 60, 60000 or 1000000.',
          'بها برای چند واحد است: ۱، ۶۰، ۶۰۰۰۰ یا ۱۰۰۰۰۰۰.',
        ),
      }),
      microcredits: microcredits(
        'quantity × price ÷ per, with at most six decimals; further ones are cut off.',
        'مقدار × بها ÷ `per`، با حداکثر شش رقم اعشار؛ بقیه بریده می‌شود.',
      ),
      model: Type.Optional(
        Type.String({
          description: 'Absent for what no model did, such as a search.',
          'x-description-fa': 'برای آنچه کار مدلی نیست، مانند جست‌وجو، نمی‌آید.',
        }),
      ),
      step: Type.Optional(
        Type.String({
          description: 'The step of a request that has several.',
          'x-description-fa': 'گام، در درخواستی که چند گام دارد.',
        }),
      ),
    }),
  ),
  rounding_microcredits: microcredits(
    'What rounding up to whole micro-credits adds, once for each call of a model.',
    'آنچه گردکردن رو به بالا به میکرواعتبار کامل می‌افزاید، یک بار برای هر فراخوانی مدل.',
  ),
  sum_microcredits: microcredits('The lines and the rounding.', 'جمع ردیف‌ها و گردکردن.'),
  charged_microcredits: Type.String(),
  adjustment: nullable(
    Type.Object(
      {
        kind: oneOf('free', 'within_hold', 'raised', 'ambiguous', 'lost'),
        microcredits: microcredits(
          'The charge less the sum; below zero where less was charged.',
          'هزینه منهای جمع؛ اگر کمتر حساب شده باشد، منفی است.',
        ),
      },
      {
        description:
          'Why the charge is not simply the sum. `free`: nothing was delivered, or nothing was asked of a model. `within_hold`: what was held covered no more. `raised`: the hold was raised to the cost. `ambiguous`: the end of the call was never seen, and its hold was charged. `lost`: its result was lost, and nothing was charged.',
        'x-description-fa':
          'چرا هزینه همان جمع نیست. `free`: چیزی تحویل نشد، یا چیزی از مدلی خواسته نشد. `within_hold`: آنچه کنار گذاشته شده بود بیش از این را نمی‌پوشاند. `raised`: آنچه کنار گذاشته شده بود تا هزینه بالا رفت. `ambiguous`: پایان درخواست دیده نشد و آنچه کنار گذاشته شده بود حساب شد. `lost`: نتیجه از دست رفت و چیزی حساب نشد.',
      },
    ),
  ),
})
