import type { LinePart } from '#account/sign-in'
import { deviceName } from './device.ts'
import { persianOfKeys } from './key-phrases.ts'
import type { FactorName, LetterKinds, RoleName } from './kinds.ts'
import type { Speech } from './speech.ts'
import type { Wordings } from './wording.ts'

const factors: Record<FactorName, string> = {
  totp: 'برنامهٔ رمزساز',
  passkey: 'رمز دستگاه (passkey)',
  recovery_code: 'کدهای بازیابی',
}

const roles: Record<RoleName, string> = {
  owner: 'مالک',
  admin: 'مدیر',
  developer: 'توسعه‌دهنده',
  billing: 'مالی',
  viewer: 'بیننده',
  operator: 'گرداننده',
}

const phoneSubjects: Record<LetterKinds['phone_changed']['change'], string> = {
  added: 'راه تازه‌ای برای ورود شما افزوده شد',
  changed: 'شمارهٔ همراه شما تغییر کرد',
  removed: 'شمارهٔ همراه شما برداشته شد',
  taken: 'شمارهٔ همراه شما اکنون از آنِ کس دیگری است',
}

const notMine =
  'اگر شما این کار را نکرده‌اید، همین حالا گذرواژه را بازیابی کنید، در صفحهٔ «حساب» نشست‌های دیگر را ببندید و به گردانندهٔ این سرور خبر دهید.'
const nothingToDo = 'اگر کار خودتان بوده است، لازم نیست کاری بکنید.'

/** Whose spending a threshold is about. */
function spenderOf({ account, of }: LetterKinds['threshold_reached'], { name }: Speech): LinePart[] {
  if (!of || of.scope === 'account') return ['حساب «', name(account), '»']
  if (of.scope === 'member') return ['هزینهٔ ', name(of.name), ' در حساب «', name(account), '»']
  return [of.scope === 'project' ? 'پروژهٔ «' : 'کلید «', name(of.name), '» از حساب «', name(account), '»']
}

export const persian: Wordings = {
  sign_in_code: ({ code, minutes }, { number }) => ({
    subject: 'کد ورود به خرد',
    lines: ['برای ورود، این کد را در همان صفحه‌ای بنویسید که آن را خواسته‌اید.'],
    code,
    note: [
      'این کد تا ',
      number(minutes),
      ' دقیقه و فقط در همان مرورگر کار می‌کند. آن را به هیچ‌کس ندهید. اگر شما آن را نخواسته‌اید، این نامه را نادیده بگیرید؛ بدون این کد کسی نمی‌تواند به جای شما وارد شود.',
    ],
  }),
  sign_up_code: ({ code, minutes }, { number }) => ({
    subject: 'کد ثبت‌نام در خرد',
    lines: ['برای کامل کردن ثبت‌نام، این کد را در همان صفحه بنویسید.'],
    code,
    note: [
      'این کد تا ',
      number(minutes),
      ' دقیقه و فقط در همان مرورگر کار می‌کند. اگر شما ثبت‌نام نکرده‌اید، این نامه را نادیده بگیرید؛ بدون این کد ثبت‌نامی انجام نمی‌شود.',
    ],
  }),
  sign_up_exists: () => ({
    subject: 'شما از پیش در خرد ثبت‌نام کرده‌اید',
    lines: [
      'کسی خواست با این نشانی در خرد ثبت‌نام کند، ولی این نشانی از پیش ثبت شده است.',
      'اگر شما بوده‌اید، وارد شوید. اگر گذرواژه را به یاد ندارید، در صفحهٔ ورود آن را بازیابی کنید.',
    ],
    note: 'اگر شما نبوده‌اید، لازم نیست کاری بکنید؛ چیزی تغییر نکرده است.',
  }),
  email_change_code: ({ code, minutes }, { number }) => ({
    subject: 'کد تأیید نشانی تازه',
    lines: ['برای این که این نشانی، نشانی ورود شما به خرد شود، کد زیر را در همان صفحه بنویسید.'],
    code,
    note: [
      'این کد تا ',
      number(minutes),
      ' دقیقه و فقط در همان مرورگر کار می‌کند. اگر شما این را نخواسته‌اید، این نامه را نادیده بگیرید؛ بدون این کد نشانی شما به کسی داده نمی‌شود.',
    ],
  }),
  email_changed: ({ newEmailMasked, undoLink, days }, { name, number }) => ({
    subject: 'نشانی ورود شما تغییر کرد',
    lines: [
      ['نشانی ورود شما به خرد از این نشانی به ', name(newEmailMasked), ' تغییر کرد.'],
      [
        'اگر شما این کار را نکرده‌اید، تا ',
        number(days),
        ' روز می‌توانید با این دکمه نشانی پیشین را برگردانید.',
      ],
    ],
    button: { label: 'برگرداندن نشانی پیشین', href: undoLink },
    note: nothingToDo,
  }),
  email_restored: ({ at }, { moment }) => ({
    subject: 'تغییر نشانی ورود شما برگردانده شد',
    lines: [
      'نشانی پیشین شما در خرد با پیوند نامه‌اش برگردانده شد و نشانی‌های بعدی کنار گذاشته شدند.',
      'آنچه پس از آن تغییر گذاشته شده بود (گذرواژه، مرحلهٔ دوم ورود و ورود با سرویس‌های دیگر) برداشته شد و همهٔ نشست‌ها بسته شدند.',
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  password_reset: ({ link, minutes }, { number }) => ({
    subject: 'گذرواژهٔ تازه برای خرد',
    lines: ['کسی خواست برای این نشانی گذرواژهٔ تازه‌ای بگذارد. اگر شما بوده‌اید، این دکمه را بزنید.'],
    button: { label: 'گذاشتن گذرواژهٔ تازه', href: link },
    note: [
      'این پیوند تا ',
      number(minutes),
      ' دقیقه و فقط یک بار کار می‌کند. اگر شما این را نخواسته‌اید، این نامه را نادیده بگیرید؛ گذرواژهٔ شما همان است که بود.',
    ],
  }),
  password_changed: ({ at }, { moment }) => ({
    subject: 'گذرواژهٔ شما تغییر کرد',
    lines: ['گذرواژهٔ شما در خرد تغییر کرد و نشست‌های دیگر شما بسته شدند.'],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  phone_changed: ({ numberMasked, change, at }, { name, moment }) => ({
    subject: phoneSubjects[change],
    lines: [
      change === 'removed'
        ? ['شمارهٔ ', name(numberMasked), ' از راه‌های ورود شما به خرد برداشته شد.']
        : change === 'taken'
          ? ['کس دیگری شمارهٔ ', name(numberMasked), ' را تأیید کرد؛ پس دیگر با آن به خرد وارد نمی‌شوید.']
          : ['از این پس با کدی که به شمارهٔ ', name(numberMasked), ' پیامک می‌شود به خرد وارد می‌شوید.'],
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note:
      change === 'taken'
        ? 'اگر شماره را واگذار کرده‌اید، لازم نیست کاری بکنید. اگر هنوز از آن شماست، کس دیگری پیامک‌هایش را خوانده است: از اپراتور تلفن همراهتان بپرسید.'
        : `${nothingToDo} ${notMine}`,
  }),
  factor_added: ({ factor, at }, { moment }) => ({
    subject: 'راه تازه‌ای برای ورود شما افزوده شد',
    lines: [`${factors[factor]} به راه‌های ورود شما به خرد افزوده شد.`],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  factor_removed: ({ factor, at }, { moment }) => ({
    subject: 'یکی از راه‌های ورود شما برداشته شد',
    lines: [`${factors[factor]} از راه‌های ورود شما به خرد برداشته شد.`],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  factor_reset_requested: ({ dueAt, cancelLink }, { moment }) => ({
    subject: 'ورود دومرحله‌ای شما برداشته می‌شود',
    lines: [
      'درخواست شده است که ورود دومرحله‌ای شما (برنامهٔ رمزساز، رمزهای دستگاه و کدهای بازیابی) برداشته شود، چون گفته شده که دیگر در دسترستان نیست.',
      'اگر شما این را نخواسته‌اید، پیش از این زمان جلو آن را بگیرید.',
    ],
    facts: [{ label: 'زمان برداشته شدن', value: moment(dueAt) }],
    button: { label: 'برداشته نشود', href: cancelLink },
    note: 'اگر خودتان این را خواسته‌اید، تا آن زمان صبر کنید و سپس بدون مرحلهٔ دوم وارد شوید.',
  }),
  passkey_copied: ({ passkey, at }, { name, moment }) => ({
    subject: 'یک رمز دستگاه رونوشت‌شده پذیرفته نشد',
    lines: [
      [
        'رمز دستگاه ',
        name(passkey),
        ' طوری به کار رفت که نشان می‌دهد کسی از آن رونوشت برداشته است. این ورود پذیرفته نشد.',
      ],
      'این رمز دستگاه را در صفحهٔ «حساب» بردارید و یکی تازه بیفزایید.',
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'ورود هم‌زمان از دو دستگاه هم می‌تواند چنین به نظر برسد. اگر این‌طور نبوده است، به گردانندهٔ این سرور خبر دهید.',
  }),
  identity_linked: ({ provider, at }, { name, moment }) => ({
    subject: 'راه تازه‌ای برای ورود شما افزوده شد',
    lines: [['از این پس با «', name(provider), '» هم می‌توانید وارد خرد شوید.']],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  identity_unlinked: ({ provider, at }, { name, moment }) => ({
    subject: 'یکی از راه‌های ورود شما برداشته شد',
    lines: [['از این پس با «', name(provider), '» نمی‌توان به جای شما وارد خرد شد.']],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: `${nothingToDo} ${notMine}`,
  }),
  new_device: ({ device, at, from }, { name, moment, network }) => ({
    subject: 'ورود از دستگاهی تازه',
    lines: ['کسی با نشانی شما، از دستگاهی که پیش از این دیده نشده بود، وارد خرد شد.'],
    facts: [
      { label: 'دستگاه', value: name(deviceName(device) ?? 'ناشناخته') },
      { label: 'نشانی شبکه (IP)', value: network(from) },
      { label: 'زمان', value: moment(at) },
    ],
    note: `${nothingToDo} ${notMine}`,
  }),
  invitation: ({ account, inviter, role, link, days }, { name, number }) => ({
    subject: ['دعوت به حساب «', name(account), '» در خرد'],
    lines: [
      [
        ...(inviter === '' ? ['گردانندهٔ این سرور'] : [name(inviter)]),
        ' شما را به حساب «',
        name(account),
        `» در خرد دعوت کرده است. نقش شما: ${roles[role]}.`,
      ],
    ],
    button: { label: 'دیدن دعوت', href: link },
    note: [
      'این پیوند تا ',
      number(days),
      ' روز و فقط یک بار کار می‌کند. اگر فرستنده را نمی‌شناسید، این نامه را نادیده بگیرید؛ تا دعوت را نپذیرید چیزی رخ نمی‌دهد.',
    ],
  }),
  operator_added: ({ email, at }, { name, moment }) => ({
    subject: 'گردانندهٔ تازه‌ای افزوده شد',
    lines: [['دارندهٔ نشانی ', name(email), ' از خط فرمان، گردانندهٔ این سرور خرد شد.']],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'اگر هیچ‌یک از شما گرداننده‌ها این کار را نکرده است، کسی دیگر به خط فرمان سرور دسترسی دارد؛ همین حالا آن را بررسی کنید.',
  }),
  operator_removed: ({ name: who, by, at }, { name, moment }) => ({
    subject: 'از گردانندگان یک نفر کم شد',
    lines: [
      by === 'self'
        ? [name(who), '، از گردانندگان این سرور خرد، خودش را حذف کرد.']
        : ['دسترسی گردانندهٔ این سرور خرد از خط فرمان از ', name(who), ' گرفته شد.'],
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note:
      by === 'self'
        ? 'اگر علتش را نمی‌دانید از خودش بپرسید؛ شاید کسی دیگر نشست او را به کار برده باشد.'
        : 'اگر هیچ‌یک از شما گرداننده‌ها این کار را نکرده است، کسی دیگر به خط فرمان سرور دسترسی دارد؛ همین حالا آن را بررسی کنید.',
  }),
  password_reset_by_operator: ({ at }, { moment }) => ({
    subject: 'گردانندهٔ سرور برای شما پیوند گذرواژهٔ تازه ساخت',
    lines: ['گردانندهٔ این سرور خرد پیوندی یک‌بارمصرف ساخت که با آن برای شما گذرواژهٔ تازه گذاشته می‌شود.'],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'اگر شما این را از گرداننده نخواسته‌اید، همین حالا از او بپرسید.',
  }),
  threshold_reached: (data, speech) => ({
    subject:
      data.percent >= 100
        ? ['سقف پر شد: ', ...spenderOf(data, speech)]
        : [speech.percent(data.percent), ' سقف خرج شد: ', ...spenderOf(data, speech)],
    lines: [
      [
        ...spenderOf(data, speech),
        ' به ',
        speech.percent(data.percent),
        data.of?.period === 'month' ? ' سقف ماهانهٔ خود رسید.' : ' سقف خود رسید.',
      ],
    ],
    facts: [
      { label: 'خرج‌شده', value: [speech.number(data.spent), ' اعتبار'] },
      { label: 'سقف', value: [speech.number(data.cap), ' اعتبار'] },
    ],
    note: 'وقتی سقف پر شود، درخواست‌های پولی پذیرفته نمی‌شوند. سقف را در صفحهٔ «حساب» می‌توانید تغییر دهید.',
  }),
  balance_low: ({ account, balance }, { name, number }) => ({
    subject: ['اعتبار حساب «', name(account), '» رو به پایان است'],
    lines: [['بیشتر اعتبار حساب «', name(account), '» خرج شده است.']],
    facts: [{ label: 'موجودی', value: [number(balance), ' اعتبار'] }],
    note: 'وقتی اعتبار تمام شود، درخواست‌های پولی پذیرفته نمی‌شوند. پیش از آن، حساب را شارژ کنید یا از گردانندهٔ این سرور اعتبار بخواهید.',
  }),
  sms_spent: ({ messages, at }, { number, moment }) => ({
    subject: 'پیامک‌های امروز تمام شد',
    lines: [
      `این سرور خرد امروز ${number(messages)} پیامک فرستاده و به سقف خود (daily_messages) رسیده است. تا روز بعد (به وقت UTC) کدی پیامک نمی‌شود؛ راه‌های دیگر ورود کار می‌کنند.`,
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'اگر کاربران شما این اندازه پیامک لازم ندارند، شاید کسی برای سرورتان هزینه می‌تراشد: پیش از بالا بردن سقف، kherad_sms_total را در سنجه‌ها و گزارش تغییرها را ببینید.',
  }),
  ...persianOfKeys,
  removed_from_account: ({ account }, { name }) => ({
    subject: ['دسترسی شما به حساب «', name(account), '» برداشته شد'],
    lines: [['شما دیگر عضو حساب «', name(account), '» در خرد نیستید.']],
    note: 'اگر گمان می‌کنید اشتباهی شده است، از مالک آن حساب بپرسید.',
  }),
  export_ready: ({ page, endsAt }, { moment }) => ({
    subject: 'داده‌های شما آمادهٔ دریافت است',
    lines: ['همهٔ آنچه خرد از شما نگه داشته است را خواسته بودید. اکنون در یک فایل ZIP در صفحهٔ شماست.'],
    button: { label: 'باز کردن صفحه', href: page },
    facts: [{ label: 'مهلت دریافت', value: moment(endsAt) }],
    note: 'فقط خودتان، وقتی وارد شده باشید، می‌توانید آن را دریافت کنید. اگر شما آن را نخواسته‌اید، نشست‌های دیگر را ببندید و گذرواژه را عوض کنید.',
  }),
  export_failed: ({ page, at }, { moment }) => ({
    subject: 'داده‌های شما آماده نشد',
    lines: ['همهٔ آنچه خرد از شما نگه داشته است را خواسته بودید. این بار ساختن فایل ممکن نشد.'],
    button: { label: 'درخواست دوباره', href: page },
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'اگر باز هم نشد، به گردانندهٔ این سرور خبر دهید.',
  }),
  person_leaving: ({ accounts, endsAt, page }, { moment, name }) => ({
    subject: 'قرار است از خرد حذف شوید',
    lines: [
      'حذف خودتان را خواسته‌اید و همهٔ نشست‌هایتان پایان یافت. تا زمان زیر فقط برای پس‌گرفتن می‌توانید وارد شوید؛ پس از آن نام، نشانی‌ها، راه‌های ورود و خروجی‌های داده برای همیشه پاک می‌شوند.',
      ...(accounts.length === 0
        ? []
        : [
            [
              'همراه شما حذف می‌شود: ',
              ...accounts.flatMap((one, at) => [at === 0 ? '«' : '»، «', name(one)]),
              '».',
            ],
          ]),
    ],
    button: { label: 'ورود برای پس‌گرفتن', href: page },
    facts: [{ label: 'زمان حذف', value: moment(endsAt) }],
    note: 'اگر شما این را نخواسته‌اید، همین حالا وارد شوید، آن را پس بگیرید و گذرواژه را عوض کنید.',
  }),
  person_kept: ({ at }, { moment }) => ({
    subject: 'از خرد حذف نمی‌شوید',
    lines: ['حذف خودتان را پس گرفتید. همه چیز همان است که بود.'],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: notMine,
  }),
  person_deleted: ({ at }, { moment }) => ({
    subject: 'از خرد حذف شدید',
    lines: [
      'نام، نشانی‌ها، راه‌های ورود و خروجی‌های دادهٔ شما، همان‌گونه که سی روز پیش خواستید، پاک شد. رسیدها و گزارش تغییرها بدون نام شما می‌مانند.',
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'این آخرین نامه به این نشانی است.',
  }),
  account_closing: ({ account, by, endsAt, page }, { moment, name }) => ({
    subject: ['حساب «', name(account), '» قرار است حذف شود'],
    lines: [
      by === null
        ? ['گردانندهٔ این سرور حذف حساب «', name(account), '» را خواسته است.']
        : [name(by), ' حذف حساب «', name(account), '» را خواسته است.'],
      'از این پس حساب فقط خواندنی است: کلیدها پذیرفته نمی‌شوند، چیزی از اعتبار کم نمی‌شود، و سایت‌ها، بک‌اندها و وب‌هوک‌های آن ایستاده‌اند. در زمان زیر همه چیز آن، با اعتبار مانده، برای همیشه پاک می‌شود.',
    ],
    button: { label: 'باز کردن حساب', href: page },
    facts: [{ label: 'زمان حذف', value: moment(endsAt) }],
    note: 'تا آن زمان هر مالک حساب می‌تواند در همان صفحه حذف را برگرداند.',
  }),
  account_kept: ({ account, by, at }, { moment, name }) => ({
    subject: ['حساب «', name(account), '» حذف نمی‌شود'],
    lines: [
      by === null
        ? ['گردانندهٔ این سرور حذف حساب «', name(account), '» را برگرداند.']
        : [name(by), ' حذف حساب «', name(account), '» را برگرداند.'],
      'کلیدها، سایت‌ها، بک‌اندها و وب‌هوک‌های آن دوباره کار می‌کنند.',
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'لازم نیست کاری بکنید.',
  }),
  account_deleted: ({ account, at }, { moment, name }) => ({
    subject: ['حساب «', name(account), '» حذف شد'],
    lines: [
      ['همه چیز در حساب «', name(account), '» برای همیشه پاک شد.'],
      'رسیدها و گزارش تغییرها بدون نام می‌مانند.',
    ],
    facts: [{ label: 'زمان', value: moment(at) }],
    note: 'لازم نیست کاری بکنید.',
  }),
}

export const persianFooter = 'این نامه را خرد خودکار فرستاده است؛ کسی پاسخ آن را نمی‌خواند.'
