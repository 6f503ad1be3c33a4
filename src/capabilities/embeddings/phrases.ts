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
    en: `has more texts than this model takes at once: send at most ${max} and repeat.`,
    fa: `بیش از آن متن دارد که این مدل یک‌جا می‌پذیرد: هر بار حداکثر ${max.toLocaleString('fa-IR')} متن بفرستید.`,
  }),
  long: (tokens: number) => ({
    en: `is longer than the ${tokens} tokens that this model reads: cut it.`,
    fa: `از ${tokens.toLocaleString('fa-IR')} توکنی که این مدل می‌خواند بلندتر است: کوتاهش کنید.`,
  }),
}
