import { StartRefused } from '#platform/errors'

/** Stops the start with one sentence in both languages. */
export function refuse(sentence: { en: string; fa: string }): never {
  throw new StartRefused(sentence.en, sentence.fa)
}

export const words = {
  noPrice: (where: string, model: string) => ({
    en: `${where}.pricing is missing: every model needs a price and none is known for ${model}; write input_per_million and output_per_million, 0 for free.`,
    fa: `${where}.pricing نوشته نشده است: هر مدل بها می‌خواهد و برای ${model} بهایی شناخته نیست؛ input_per_million و output_per_million را بنویسید، ۰ یعنی رایگان.`,
  }),
  steppedPrice: (where: string, model: string, tokens: number) => ({
    en: `${where}.pricing is missing: ${model} costs more beyond ${tokens} tokens; write pricing, or a context_length of at most ${tokens}.`,
    fa: `${where}.pricing نوشته نشده است: ${model} پس از ${tokens} توکن گران‌تر می‌شود؛ pricing را بنویسید یا context_length را حداکثر ${tokens} بگذارید.`,
  }),
  noProvider: (where: string, provider: string, known: readonly string[]) => ({
    en: `${where}.deployments names the provider ${provider}, which does not exist: add it under providers or write one of ${known.join(', ')}.`,
    fa: `${where}.deployments ارائه‌دهنده‌ی ${provider} را نام برده که نیست: آن را به providers بیفزایید یا یکی از این‌ها را بنویسید: ${known.join('، ')}.`,
  }),
  noSandboxModel: (where: string, model: string, known: readonly string[]) => ({
    en: `${where}.deployments names the sandbox model ${model}, which does not exist: write one of ${known.join(', ')}.`,
    fa: `${where}.deployments مدل ${model} را از sandbox نام برده که نیست: یکی از این‌ها را بنویسید: ${known.join('، ')}.`,
  }),
  noFallback: (where: string, id: string) => ({
    en: `${where}.fallbacks names ${id}, which is no other text model: write the id of one, or remove it.`,
    fa: `${where}.fallbacks نام ${id} را آورده که مدل متنی دیگری نیست: شناسه‌ی یکی را بنویسید یا آن را بردارید.`,
  }),
  noDefault: (where: string, id: string) => ({
    en: `${where} is ${id}, which is not a text model of this server: write the id of one (GET /v1/models lists them).`,
    fa: `${where} برابر ${id} است که مدل متنی این سرور نیست: شناسه‌ی یکی را بنویسید (GET /v1/models آن‌ها را فهرست می‌کند).`,
  }),
  duplicate: (id: string) => ({
    en: `Two models are called ${id}: rename the one in the configuration file.`,
    fa: `دو مدل ${id} نام دارند: آن را که در پرونده‌ی پیکربندی است نام دیگری بدهید.`,
  }),
}
