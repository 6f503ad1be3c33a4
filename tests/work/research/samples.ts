import type { ScriptedServices } from '../../harness/memory-run.ts'

export const documentTask = {
  kind: 'document',
  input:
    'Write a guide for new volunteers of the city library, with a table of the opening hours and a footnote.',
} as const

export const documentOutside: ScriptedServices = {
  say(step) {
    if (step === 'outline')
      return '```json\n{"title": "The volunteer\'s guide", "subtitle": "City library", "sections": [{"heading": "1. Welcome", "brief": "who we are"}, {"heading": "Opening hours", "brief": "a table"},]}\n```'
    if (step === 'section/1')
      return '## Welcome\n\nThe library was founded in 1962.[^1] It lends 40,000 books.\n\n### Your first day\n\nAsk at the desk.\n\n[^1]: In the old town hall.'
    return 'The library is open six days a week.[^1]\n\n| Day | Hours |\n|---|---|\n| Saturday | 8–20 |\n| Friday | closed |\n\n[^1]: Public holidays are an exception.\n\n```\nan open fence'
  },
}

export const persianDocumentTask = {
  kind: 'document',
  language: 'fa',
  input: 'راهنمای کوتاهی برای داوطلبان تازهٔ کتابخانهٔ شهر بنویس، با جدول ساعت‌ها و پانویس.',
} as const

export const persianDocumentOutside: ScriptedServices = {
  say(step) {
    if (step === 'outline')
      return '{"title":"راهنمای داوطلبان کتابخانهٔ شهر","subtitle":"نسخهٔ 1405","sections":[{"heading":"۱. خوش آمدید","brief":"معرفی"},{"heading":"ساعت‌های کار","brief":"جدول"},{"heading":"فهرست با Koha 23.05","brief":"نرم‌افزار"}]}'
    if (step === 'section/1')
      return 'کتابخانهٔ شهر در سال 1341 بنیان گذاشته شد.[^1] امروز 40,000 کتاب دارد و می‌خواهیم تا سال ۱۴۱۰ به 52.5 هزار برسیم.\n\n### روز نخست\n\nاز میز امانت بپرسید؛ «خانم رضایی» شما را راهنمایی می‌کند.\n\n1. کارت شناسایی بگیرید.\n2. با نرم‌افزار آشنا شوید.\n\n[^1]: در ساختمان شهرداری قدیم.'
    if (step === 'section/2')
      return 'کتابخانه شش روز هفته باز است.\n\n| روز | ساعت | مسئول |\n|---|---|---|\n| شنبه | 8 تا 20 | علی |\n| پنجشنبه | 8 تا 13 | Sara |\n| جمعه | بسته | — |'
    return 'فهرست کتاب‌ها در Koha 23.05 است و نشانی آن https://koha.example/opac?id=12 است. فرمان `koha-list 10` ده نسخه را نشان می‌دهد.'
  },
}

export const codeTask = {
  kind: 'code',
  input: 'A small command line tool that counts the words of a file.',
} as const

const files: Record<string, string> = {
  'file/1':
    '```ts\nexport const count = (text: string): number => text.split(/\\s+/).filter(Boolean).length\n```',
  'file/2': "```js\nimport { count } from './count.ts'\nconsole.log(count(process.argv[2] ?? '')\n```",
  'mend/2': "```js\nimport { count } from './count.ts'\nconsole.log(count(process.argv[2] ?? ''))\n```",
  'file/3': '```json\n{"name": "words", "type": "module",}\n```',
  'mend/3': '```json\n{"name": "words", "type": "module",}\n```',
  'file/4': 'on: push\njobs:\n  test: [1, 2\n',
  'mend/4': '```yaml\non: push\njobs: {}\n```',
  readme: '```markdown\n# Words\n\nCounts words.\n\n```sh\nnode main.mjs file\n```\n```',
}

export const codeOutside: ScriptedServices = {
  say: (step) =>
    step === 'plan'
      ? JSON.stringify({
          name: 'Words',
          description: 'Counts words.',
          files: [
            'src/count.ts',
            'src/main.mjs',
            'package.json',
            'ci.yaml',
            '../../etc/passwd',
            '/root/x',
            'C:\\x',
            'project.zip',
            'SRC/Count.ts',
            'src',
            '.git/config',
          ].map((path) => ({ path, purpose: 'a part' })),
        })
      : (files[step] ?? 'text'),
}

export const dataTask = {
  kind: 'data',
  language: 'fa',
  input: [
    'این فروش سال گذشته است؛ بگو کدام شهر بهتر فروخت و روند ماهانه چیست:',
    'تاریخ,شهر,فروش,تخفیف,یادداشت',
    '۱۴۰۳/۱/۵,تهران,"۱۲٬۵۰۰",۵٪,=SUM(A1)',
    '۱۴۰۳/۱/۲۰,مشهد,۸٬۲۰۰٫۵,۱۰٪,خوب',
    '۱۴۰۳/۲/۳,تهران,۱۴٬۰۰۰,۰٪,-',
    '۱۴۰۳/۲/۱۱,شیراز,-۳۵۰,۲٫۵٪,برگشتی',
    '۱۴۰۳/۳/۷,مشهد,,۷٪,@home',
    '۱۴۰۳/۳/۱۲,تهران,۹٬۷۵۰,۵٪,',
    '۱۴۰۳/۳/۱۲,تهران,۹٬۷۵۰,۵٪,',
    'سپاس.',
  ].join('\n'),
} as const

export const dataOutside: ScriptedServices = {
  say: (step) =>
    step === 'plan'
      ? JSON.stringify({
          title: 'فروش ۱۴۰۳',
          views: [
            { title: 'فروش هر شهر', by: 'شهر', measure: 'sum', column: 'فروش', chart: 'bar' },
            {
              title: 'روند ماهانه',
              by: 'تاریخ',
              bucket: 'month',
              measure: 'sum',
              column: 'فروش',
              chart: 'line',
            },
            { title: 'سهم شهرها', by: 'شهر', measure: 'count', chart: 'pie' },
            { title: 'x', by: 'ناموجود', measure: 'sum', column: 'فروش', chart: 'bar' },
            { title: 'y', by: 'شهر', measure: 'sum', column: 'یادداشت', chart: 'bar' },
          ],
        })
      : 'جمع فروش {{f6}} است. فروش تهران ۹۹۹ بود. در این جدول {{f1}} ردیف هست. میانگین {{f500}} است.\n\n- بهترین شهر تهران بود.',
}

export const englishDataTask = {
  kind: 'data',
  input: `Which product sells best?\n\n\`\`\`json\n${JSON.stringify([
    { product: 'Tea', month: '2024-01-05', units: 120, price: 2.5 },
    { product: 'Coffee', month: '2024-01-17', units: 80, price: 4.1 },
    { product: 'Tea', month: '2024-02-02', units: 150, price: 2.5 },
    { product: 'Coffee', month: '2024-02-20', units: 95, price: 4.25 },
    { product: '=cmd|calc', month: '2024-03-01', units: null, price: 0.1 },
    { product: 'Tea', month: '2024-03-09', units: 170, price: 2.6 },
    { product: 'Coffee', month: '2024-03-21', units: 60, price: 4.3 },
    { product: 'Cocoa', month: '2024-03-22', units: 30, price: 3.2 },
  ])}\n\`\`\``,
} as const

export const englishDataOutside: ScriptedServices = {
  say: (step) =>
    step === 'plan' ? 'no json at all' : 'The units sum up to {{f5}}. Tea sold 440 units, Coffee 12345.',
}
