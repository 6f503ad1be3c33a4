import type { Sentence } from '#platform/config'

export { refuseConfig } from '#platform/config'

export const phrases = {
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
  noDialect: (where: string, provider: string, lacking: Sentence) => ({
    en: `${where}.deployments names the provider ${provider}, which ${lacking.en}, or write one that does.`,
    fa: `${where}.deployments ارائه‌دهنده‌ی ${provider} را نام برده که ${lacking.fa} یا یکی را بنویسید که دارد.`,
  }),
  unableProvider: (where: string, provider: string, unable: Sentence) => ({
    en: `${where}.deployments names the provider ${provider}, ${unable.en}.`,
    fa: `${where}.deployments ارائه‌دهنده‌ی ${provider} را نام برده ${unable.fa}.`,
  }),
  noFallback: (where: string, id: string, kind: string) => ({
    en: `${where}.fallbacks names ${id}, which is no other ${kind} model: write the id of one, or remove it.`,
    fa: `${where}.fallbacks نام ${id} را آورده که مدل دیگری از نوع ${kind} نیست: شناسه‌ی یکی را بنویسید یا آن را بردارید.`,
  }),
  noDefault: (where: string, id: string, known: readonly string[]) => ({
    en: `${where} is ${id}, which is not a text model of this server: write one of ${some(known, ', ')}.`,
    fa: `${where} برابر ${id} است که مدل متنی این سرور نیست: یکی از این‌ها را بنویسید: ${some(known, '، ')}.`,
  }),
  noPreset: (where: string, id: string, kind: string, known: readonly string[]) => ({
    en: `${where} is ${id}, which is not a model of the kind ${kind} of this server: write one of ${some(known, ', ')}.`,
    fa: `${where} برابر ${id} است که مدلی از نوع ${kind} این سرور نیست: یکی از این‌ها را بنویسید: ${some(known, '، ')}.`,
  }),
  noEmbedding: (where: string, id: string, known: readonly string[]) => ({
    en: `${where} is ${id}, which is not an embedding model of this server: write one of ${some(known, ', ')}.`,
    fa: `${where} برابر ${id} است که مدل embedding این سرور نیست: یکی از این‌ها را بنویسید: ${some(known, '، ')}.`,
  }),
  aliasTaken: (where: string, alias: string, holder: string) => ({
    en: `${where}.aliases names ${alias}, which is a name of ${holder} already: write another, or remove it.`,
    fa: `${where}.aliases نام ${alias} را آورده که از پیش نام ${holder} است: نام دیگری بنویسید یا آن را بردارید.`,
  }),
  duplicate: (id: string) => ({
    en: `Two models are called ${id}: rename the one in the configuration file.`,
    fa: `دو مدل ${id} نام دارند: آن را که در فایل پیکربندی است نام دیگری بدهید.`,
  }),
}

/** The first of these ids: a catalogue may have hundreds, and the configuration's own come first. */
const some = (ids: readonly string[], comma: string): string =>
  ids.slice(0, 12).join(comma) + (ids.length > 12 ? `${comma}…` : '')
