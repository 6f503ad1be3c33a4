import { persian } from '#platform/words'

const written = (numbers: readonly number[]): string => numbers.map(persian).join('، ')

/** Why texts are refused. */
export const reasons = {
  noToken: {
    en: 'is no token of cl100k_base, the numbers by which OpenAI clients count texts for vectors: send the text itself.',
    fa: 'شمارهٔ هیچ توکنی از cl100k_base نیست، که کتابخانه‌های OpenAI متن را با آن می‌شمارند: خود متن را بفرستید.',
  },
  mixed: {
    en: 'is a number beside texts: send texts, lists of token numbers, or one list of numbers alone.',
    fa: 'عددی است میان متن‌ها: یا متن بفرستید، یا فهرست‌هایی از شمارهٔ توکن، یا تنها یک فهرست عدد.',
  },
  empty: { en: 'must not be empty.', fa: 'نباید خالی باشد.' },
  many: (max: number) => ({
    en: `has more than ${max} texts: send at most so many and repeat.`,
    fa: `بیش از ${persian(max)} متن دارد: هر بار حداکثر همین شمار متن بفرستید.`,
  }),
  fewerDimensions: (max: number, allowed: readonly number[]) => ({
    en: `may be 1 to ${max}${allowed.length > 0 ? ` or ${allowed.join(', ')}` : ''} with this model.`,
    fa: `با این مدل می‌تواند از ۱ تا ${written([max])}${allowed.length > 0 ? ` یا ${written(allowed)}` : ''} باشد.`,
  }),
  theseDimensions: (allowed: readonly number[]) => ({
    en: `may be ${allowed.join(', ')} with this model; without it the vectors are as the model has them.`,
    fa: `با این مدل می‌تواند ${written(allowed)} باشد؛ بدون آن بردارها همان‌اند که مدل دارد.`,
  }),
  ownDimensions: {
    en: 'cannot be chosen with this model: leave it out. An operator whose upstream takes it writes max_dimensions or allowed_dimensions into the entry of the model.',
    fa: 'با این مدل برگزیدنی نیست: نفرستیدش. گرداننده‌ای که سرویس بالادستش آن را می‌پذیرد max_dimensions یا allowed_dimensions را در تعریف مدل می‌نویسد.',
  },
  long: (tokens: number) => ({
    en: `is longer than the ${tokens} tokens that this model reads: cut it.`,
    fa: `از ${persian(tokens)} توکنی که این مدل می‌خواند بلندتر است: کوتاهش کنید.`,
  }),
}
