/** Why texts are refused. */
export const reasons = {
  tokens: {
    en: 'takes texts, not numbers of tokens: every model counts its own (with LangChain set check_embedding_ctx_length=False).',
    fa: 'متن می‌پذیرد، نه شمارهٔ توکن: هر مدل شماره‌های خودش را دارد (در LangChain مقدار check_embedding_ctx_length=False را بگذارید).',
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
