import type { CitableSource } from '#core/turn'
import type { ScriptedServices } from '../../harness/memory-run.ts'
import { verdictsOn } from './research-script.ts'

const more = (text: string) => `${text}\n\n${'ادامهٔ صفحه دربارهٔ چیزهای دیگری است. '.repeat(10)}`

export const persianPages: Record<string, CitableSource> = {
  'https://water.example/urmia': {
    url: 'https://water.example/urmia',
    title: 'تراز آب دریاچهٔ ارومیه',
    text: more(
      'تراز دریاچهٔ ارومیه در پایان مهر ۱۴۰۳ به ۱۲۷۰٫۲۱ متر رسید و مساحت آن ۱٬۰۳۵ کیلومتر مربع بود. سازمان فضایی NASA نیز همین کاهش را ديده است.',
    ),
    publishedAt: '2024-10-25',
    mediaType: 'text/html',
  },
  'https://news.example/dam': {
    url: 'https://news.example/dam',
    title: 'رهاسازی آب از سدها',
    text: more(
      'از سدهای استان ۱۸۵ میلیون متر مکعب آب به سوی دریاچه رها شد. این برنامه تا بهار ادامه می‌یابد.',
    ),
    mediaType: 'text/html',
  },
}

export const persianResearchTask = {
  kind: 'research',
  language: 'fa',
  input: 'وضع دریاچهٔ ارومیه در پاییز ۱۴۰۳ چگونه بود و چه کاری برای آن شد؟',
  title: 'دریاچهٔ ارومیه در پاییز ۱۴۰۳',
} as const

const drafts: Record<string, string> = {
  'draft/1': [
    'تراز دریاچه در پایان مهر 1403 به 1270.21 متر رسید [۱]. مساحت آن ۱٬۰۳۵ کیلومتر مربع بود [1]. سازمان فضایی NASA هم همین کاهش را دیده است [۱، ۹۹].',
    '',
    'دریاچه تا سه سال دیگر پر می‌شود. ژرفای آن ۴۴ متر است [2].',
  ].join('\n'),
  'draft/2':
    'از سدهای استان ۱۸۵ میلیون متر مکعب آب رها شد [2]. برنامه تا «بهار» ادامه می‌یابد [2].\n\n- به این موضوع در بخش بعد می‌پردازیم.\n- سدها هرگز باز نشدند [2].',
  'draft/summary': 'تراز دریاچه به ۱۲۷۰٫۲۱ متر رسید و ۱۸۵ میلیون متر مکعب آب برای آن رها شد [1][2].',
}

const verdicts: Parameters<typeof verdictsOn>[1] = [
  [/1403 به/, [{ verdict: 'supported', source: 1, quote: 'در پایان مهر ۱۴۰۳ به ۱۲۷۰٫۲۱ متر رسید' }]],
  [/کیلومتر مربع/, [{ verdict: 'supported', source: 1, quote: 'مساحت آن 1,035 کیلومتر مربع بود' }]],
  [/NASA/, [{ verdict: 'supported', source: 1, quote: 'NASA نیز همین کاهش را دیده است' }]],
  [
    /برای آن رها/,
    [
      { verdict: 'supported', source: 1, quote: 'به ۱۲۷۰٫۲۱ متر رسید' },
      { verdict: 'supported', source: 2, quote: '۱۸۵ میلیون متر مکعب آب' },
    ],
  ],
  [/از سدهای/, [{ verdict: 'supported', source: 2, quote: '۱۸۵ میلیون متر مکعب آب به سوی دریاچه رها شد' }]],
  [/بهار/, [{ verdict: 'supported', source: 2, quote: 'این برنامه تا بهار ادامه می‌یابد' }]],
  [/بخش بعد/, [{ verdict: 'no-claim' }]],
  [/هرگز/, [{ verdict: 'contradicted' }]],
]

export const persianResearchOutside: ScriptedServices = {
  say(step, question) {
    if (step === 'questions')
      return 'بفرمایید: {"title":"ارومیه","questions":["تراز و مساحت چقدر بود؟","چه کاری شد؟"],"queries":["تراز دریاچه ارومیه مهر ۱۴۰۳","رهاسازی آب سد ارومیه"]'
    if (step.startsWith('notes/')) return '- یادداشت'
    if (step === 'outline')
      return '{"title":"x","sections":[{"heading":"تراز و مساحت","brief":""},{"heading":"رهاسازی آب","brief":""}]}'
    if (step.startsWith('check/')) return verdictsOn(question, verdicts)
    return drafts[step] ?? ''
  },
  search: () => Object.values(persianPages),
  read: (url) => persianPages[url],
}
