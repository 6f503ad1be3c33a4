/** The letters about keys, in both languages. */
import type { Wordings } from './wording.ts'

type KeyWordings = Pick<
  Wordings,
  'key_ending' | 'management_key_ending' | 'management_key_made' | 'management_key_ended'
>

export const englishOfKeys: KeyWordings = {
  key_ending: ({ key, project, endsAt }, { name, moment }) => ({
    subject: ['The key “', name(key), '” ends soon'],
    lines: [
      ['The key “', name(key), '” of the project “', name(project), '” ends soon.'],
      'Programs that use it get no answers after that. Make a new key before then, or move the end of this one.',
    ],
    facts: [{ label: 'End', value: moment(endsAt) }],
    note: 'If you do not need this key any more, there is nothing to do.',
  }),
  management_key_ending: ({ key, account, endsAt }, { name, moment }) => ({
    subject: ['The management key “', name(key), '” ends soon'],
    lines: [
      ['The management key “', name(key), '” of the account “', name(account), '” ends soon.'],
      'Its end cannot be moved. Before then, make another one and give it to the program that uses this one. Project keys that it made go on.',
    ],
    facts: [{ label: 'End', value: moment(endsAt) }],
    note: 'If you do not need this key any more, there is nothing to do.',
  }),
  management_key_made: ({ key, account, by, endsAt, at }, { name, moment }) => ({
    subject: ['A management key was made in the account “', name(account), '”'],
    lines: [
      [name(by), ' has made the management key “', name(key), '” in the account “', name(account), '”.'],
      'Whoever has its secret can do everything that this key is permitted to do in the account, without a second step.',
    ],
    facts: [
      { label: 'Made at', value: moment(at) },
      { label: 'End', value: moment(endsAt) },
    ],
    note: 'If you know of it, there is nothing to do. If not, revoke it on the page “Management keys”, and ask the person who made it.',
  }),
  management_key_ended: ({ key, account, at }, { name, moment }) => ({
    subject: ['The management key “', name(key), '” has ended'],
    lines: [
      [
        'The management key “',
        name(key),
        '” of the account “',
        name(account),
        '” has ended: you made it, and are no longer an owner or admin of the whole account.',
      ],
      'The program that used it gets no answers any more. Project keys that it made go on.',
    ],
    facts: [{ label: 'Ended at', value: moment(at) }],
    note: 'If that program is still needed, ask an owner of the account to make another key.',
  }),
}

export const persianOfKeys: KeyWordings = {
  key_ending: ({ key, project, endsAt }, { name, moment }) => ({
    subject: ['کلید «', name(key), '» به‌زودی پایان می‌یابد'],
    lines: [
      ['زمان کلید «', name(key), '» از پروژهٔ «', name(project), '» به‌زودی تمام می‌شود.'],
      'برنامه‌هایی که با این کلید کار می‌کنند، پس از آن پاسخ نمی‌گیرند. پیش از آن کلید تازه‌ای بسازید یا پایان همین کلید را عقب ببرید.',
    ],
    facts: [{ label: 'پایان', value: moment(endsAt) }],
    note: 'اگر دیگر به این کلید نیاز ندارید، لازم نیست کاری بکنید.',
  }),
  management_key_ending: ({ key, account, endsAt }, { name, moment }) => ({
    subject: ['کلید مدیریتی «', name(key), '» به‌زودی پایان می‌یابد'],
    lines: [
      ['زمان کلید مدیریتی «', name(key), '» از حساب «', name(account), '» به‌زودی تمام می‌شود.'],
      'پایان آن جابه‌جا نمی‌شود. پیش از آن کلید دیگری بسازید و به برنامه‌ای بدهید که با این کلید کار می‌کند. کلیدهای پروژه‌ای که ساخته است کار می‌کنند.',
    ],
    facts: [{ label: 'پایان', value: moment(endsAt) }],
    note: 'اگر دیگر به این کلید نیاز ندارید، لازم نیست کاری بکنید.',
  }),
  management_key_made: ({ key, account, by, endsAt, at }, { name, moment }) => ({
    subject: ['کلید مدیریتی تازه‌ای در حساب «', name(account), '» ساخته شد'],
    lines: [
      [name(by), ' کلید مدیریتی «', name(key), '» را در حساب «', name(account), '» ساخت.'],
      'هر کس رمز این کلید را داشته باشد، می‌تواند هر چه را به آن اجازه داده‌اند، بی مرحلهٔ دوم ورود، در حساب انجام دهد.',
    ],
    facts: [
      { label: 'زمان ساخت', value: moment(at) },
      { label: 'پایان', value: moment(endsAt) },
    ],
    note: 'اگر از آن خبر دارید، لازم نیست کاری بکنید. اگر نه، آن را در صفحهٔ «کلیدهای مدیریتی» باطل کنید و از سازنده‌اش بپرسید.',
  }),
  management_key_ended: ({ key, account, at }, { name, moment }) => ({
    subject: ['کلید مدیریتی «', name(key), '» پایان یافت'],
    lines: [
      [
        'کلید مدیریتی «',
        name(key),
        '» از حساب «',
        name(account),
        '» پایان یافت: سازندهٔ آن شمایید و دیگر مالک یا مدیر همهٔ این حساب نیستید.',
      ],
      'برنامه‌ای که با آن کار می‌کرد دیگر پاسخی نمی‌گیرد. کلیدهای پروژه‌ای که ساخته است کار می‌کنند.',
    ],
    facts: [{ label: 'زمان پایان', value: moment(at) }],
    note: 'اگر آن برنامه هنوز لازم است، از یکی از مالک‌های حساب بخواهید کلید دیگری بسازد.',
  }),
}
