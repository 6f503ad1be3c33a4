/** Messages of a host of functions at its start. */
interface BilingualText {
  en: string
  fa: string
}

export const functionsHostPhrases = {
  forbidden: (name: string): BilingualText => ({
    en: `${name} is set: a host of functions runs strangers' code and must hold no database and no key of the platform. Remove it from the environment of this process; what functions need comes over the channel.`,
    fa: `${name} تعیین شده است: میزبان تابع‌ها کد دیگران را اجرا می‌کند و نباید پایگاه داده یا کلیدی از سکو داشته باشد. آن را از محیط این پردازه بردارید؛ آنچه تابع‌ها لازم دارند از کانال می‌آید.`,
  }),
  keyFile: (file: string): BilingualText => ({
    en: `${file} is the key of a platform: it must not lie on a host of functions. Set KHERAD_DATA to an empty folder.`,
    fa: `${file} کلید سکو است و نباید روی میزبان تابع‌ها باشد. KHERAD_DATA را پوشه‌ای خالی بگذارید.`,
  }),
  noKey: {
    en: 'KHERAD_FUNCTIONS_KEY is not set: a host of functions needs the key of its channel. Make one with kherad functions key, and name it in functions.hosts of the API too.',
    fa: 'KHERAD_FUNCTIONS_KEY تعیین نشده است: میزبان تابع‌ها کلید کانالش را لازم دارد. با kherad functions key یکی بسازید و در functions.hosts همان API هم بیاورید.',
  },
  workers: {
    en: 'KHERAD_WORKERS is more than 1: a host of functions is one process, which starts a process for each cloud. Remove it.',
    fa: 'KHERAD_WORKERS بیش از ۱ است: میزبان تابع‌ها یک پردازه است که برای هر بک‌اند پردازه‌ای آغاز می‌کند. آن را بردارید.',
  },
  hosts: {
    en: 'functions.hosts is set: it belongs to the API, with the keys of all hosts. Remove it from the configuration of this host.',
    fa: 'functions.hosts تعیین شده است: جای آن در پیکربندی API است و کلید همهٔ میزبان‌ها را دارد. آن را از پیکربندی این میزبان بردارید.',
  },
  nothing: {
    en: 'Here are /health/live, /health/ready and /metrics only.',
    fa: 'اینجا فقط /health/live و /health/ready و /metrics هست.',
  },
  welcome: ({ url, channel }: { url: string; channel: string }): string =>
    [
      '',
      `میزبان تابع‌ها آماده است / The host of functions is ready`,
      `  کانال API / channel of the API: ${channel}`,
      `  سلامت و سنجه‌ها / health and metrics: ${url}`,
      '',
      '',
    ].join('\n'),
}
