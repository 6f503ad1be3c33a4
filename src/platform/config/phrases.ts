/** Messages for a refused start, in both languages: what is wrong, where, and how to fix it. */
export interface Sentence {
  en: string
  fa: string
}

const quoted = (values: readonly string[]) => values.join(', ')

/** The place of an error: `kherad.config.yaml:12: limits.body_bytes_in_flight`, or the name of a variable. */
export type ConfigPosition = string

export const phrases = {
  missing: (where: ConfigPosition, fix: Sentence): Sentence => ({
    en: `${where} is missing: ${fix.en}.`,
    fa: `${where} نوشته نشده است: ${fix.fa}.`,
  }),
  unknown: (where: ConfigPosition, known: readonly string[]): Sentence => ({
    en: `${where} is not a known entry: remove it, or write one of ${quoted(known)}.`,
    fa: `${where} شناخته نیست: آن را بردارید یا یکی از این‌ها را بنویسید: ${quoted(known)}.`,
  }),
  wrong: (where: ConfigPosition, found: Sentence, expected: Sentence): Sentence => ({
    en: `${where} is ${found.en}: write ${expected.en}.`,
    fa: `${where} ${found.fa} است: ${expected.fa} بنویسید.`,
  }),
  /** The value as typed, for `wrong`. Persian digits are pointed out, because to the operator such a number looks correct. */
  typed: (value: string): Sentence => {
    const isPersian = /^[-+.,٫٬\d]*[۰-۹٠-٩][-+.,٫٬\d۰-۹٠-٩]*$/.test(value)
    return {
      en: `${JSON.stringify(value)}${isPersian ? ', whose digits are not 0 to 9' : ''}`,
      fa: `برابر ${JSON.stringify(value)}${isPersian ? ' با رقم‌هایی جز 0 تا 9' : ''}`,
    }
  },
  /** An unknown word after `npm start --` is refused: ignoring it could start the process in the wrong role. */
  unknownWord: (word: string): Sentence => ({
    en: `${JSON.stringify(word)} means nothing to the start: remove it; it takes --role all, api, worker, voice or functions, and its settings from the environment.`,
    fa: `${JSON.stringify(word)} برای آغاز معنایی ندارد: آن را بردارید؛ تنها --role با all، api، worker، voice یا functions پذیرفته می‌شود و تنظیم‌های دیگر از محیط خوانده می‌شوند.`,
  }),
  /** The message of `wrong` for a secret, which is not repeated. */
  unusable: (where: ConfigPosition, expected: Sentence): Sentence => ({
    en: `${where} is not usable: write ${expected.en}.`,
    fa: `${where} پذیرفتنی نیست: ${expected.fa} بنویسید.`,
  }),
  duplicate: (where: ConfigPosition, id: string): Sentence => ({
    en: `${where} repeats ${id}: every one may be named once, so rename or remove one of the two.`,
    fa: `${where} نام ${id} را دوباره آورده است: هر نام تنها یک بار می‌آید، یکی از دو تا را عوض کنید یا بردارید.`,
  }),
  conflict: (where: ConfigPosition, why: Sentence): Sentence => ({
    en: `${where} ${why.en}.`,
    fa: `${where} ${why.fa}.`,
  }),
  variable: (where: ConfigPosition, name: string): Sentence => ({
    en: `${where} uses \${${name}}, which is not set: set the environment variable ${name} or write the value itself.`,
    fa: `${where} به \${${name}} نیاز دارد که تعیین نشده است: متغیر محیطی ${name} را تعیین کنید یا خود مقدار را بنویسید.`,
  }),
  syntax: (where: ConfigPosition, problem: string): Sentence => ({
    en: `${where}: this is not valid YAML (${problem}); correct this line.`,
    fa: `${where}: این خط YAML درستی نیست (${problem})؛ آن را درست کنید.`,
  }),
  unquoted: (where: ConfigPosition): Sentence => ({
    en: `${where}: this is not valid YAML; put quotes around the \${…} on this line.`,
    fa: `${where}: این خط YAML درستی نیست؛ \${…} این خط را در گیومه («"») بگذارید.`,
  }),
  noFile: (path: string): Sentence => ({
    en: `KHERAD_CONFIG names ${path}, which cannot be read: create the file, correct the path, or unset KHERAD_CONFIG.`,
    fa: `KHERAD_CONFIG فایل ${path} را نام برده که خوانده نمی‌شود: فایل را بسازید، نشانی را درست کنید یا KHERAD_CONFIG را بردارید.`,
  }),
  unreadable: (where: ConfigPosition, file: string, reason: string): Sentence => ({
    en: `${where} names ${file}, which cannot be read (${reason}): correct the path, or give this user the right to read it.`,
    fa: `${where} فایل ${file} را نام برده که خوانده نمی‌شود (${reason}): نشانی را درست کنید یا به این کاربر حق خواندن بدهید.`,
  }),
  noCertificates: (where: ConfigPosition, file: string): Sentence => ({
    en: `${where} names ${file}, which holds no certificates that can be read: write them there in PEM, each from -----BEGIN CERTIFICATE----- on.`,
    fa: `${where} فایل ${file} را نام برده که گواهی خوانایی در آن نیست: گواهی‌ها را به شکل PEM در آن بنویسید، هر یک از -----BEGIN CERTIFICATE----- به بعد.`,
  }),
}
