import { type Json } from '../../../packages/exact-json/json.js';

const mina = 'mina@demo.test';
const theo = 'theo@demo.test';
const ines = 'ines@demo.test';

function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

type Values = Readonly<Record<string, Json>>;

export interface DemoTask {
  readonly id: string;
  readonly values: Values;
  /** The stages that the task entered after its creation. */
  readonly stages: readonly string[];
  /** The ages of the task's events, in hours. Some events are old, so that the demo's figures have data. */
  readonly hours: readonly number[];
}

type More = Values & { readonly Stage?: string };

/** Returns a task that entered at most one stage after its creation. */
const task = (id: string, { Stage, ...values }: More, hours: readonly number[]): DemoTask => ({
  id,
  values,
  stages: Stage === undefined ? [] : [Stage],
  hours,
});

const vendor = (id: string, name: string, assignee: string | null, value: string, risk: string, hours: readonly number[], more: More = {}): DemoTask =>
  task(id, {
    'Vendor ID': id,
    'Vendor Name': name,
    'Assigned To': assignee,
    ...(value !== '' && { 'Contract Value': value }),
    ...(risk !== '' && { Risk: risk }),
    ...more,
  }, hours); // prettier-ignore

const invoice = (number: number, amount: string, due: number, hours: readonly number[] = [], more: More = {}): DemoTask =>
  task(`INV-${number}`, { 'Invoice ID': `INV-${number}`, Amount: amount, 'Due Date': day(due), ...more }, hours); // prettier-ignore

const paid = { Stage: 'Paid' };
const review = { Stage: 'In Review' };
const approved = (days: number): More => ({ Stage: 'Approved', 'Approved On': day(days) });

export const demoTasks: Readonly<Record<'vendors' | 'invoices', readonly DemoTask[]>> = {
  vendors: [
    vendor('V-3', 'Aldgate Printing', theo, '4200.00', 'Low', [410], { Regions: ['EMEA'] }),
    vendor('V-4', 'Blue Ridge Analytics', theo, '38000.00', 'Medium', [120, 9], {
      ...review,
      Regions: ['AMER'],
      'International?': true,
      'Expected Close Date': day(5),
      'Number of Employees': '140',
      Phone: '+1 303 555 0142',
      'Contact E-mail': 'sales@blue-ridge.test',
      Website: 'https://blue-ridge.test',
      'Account Owner': mina,
      Notes: 'Second offer, 12 % below the first. They would host in Frankfurt if we asked.',
    }),
    vendor('V-5', 'Cormorant Logistics', mina, '9500.00', 'Low', [52, 5], {
      ...review,
      'Expected Close Date': day(2),
    }),
    // This review is overdue, so the demo assigns the vendor to the administrator at the first start.
    vendor('V-6', 'Delta Cleanroom Supply', theo, '9800.00', 'Medium', [168, 168], {
      ...review,
      Notes: 'Waits for the questionnaire on data protection.',
    }),
    vendor('V-7', 'Eastwind Translations', ines, '3600.00', 'Low', [300], { Regions: ['APAC'] }),
    vendor('V-8', 'Fjord Data Centres', mina, '120000.00', 'High', [75, 7], { ...review, Regions: ['EMEA'] }),
    vendor('V-9', 'Granite Legal', mina, '18000.00', 'Low', [310, 118], approved(-5)),
    vendor('V-10', 'Hollis & Daughters', theo, '7400.00', 'Low', [230, 74], approved(-3)),
    vendor('V-11', 'Indigo Catering', theo, '5600.00', 'Low', [205, 73], approved(-3)),
    vendor('V-12', 'Juniper Payroll', mina, '46000.00', 'Medium', [160, 26], approved(-1)),
    vendor('V-13', 'Kestrel Couriers', null, '2900.00', 'High', [140, 50], {
      Stage: 'Rejected',
      Notes: 'No insurance that covers parcels.',
    }),
    vendor('V-14', 'Larkspur Interiors', ines, '1450.00', 'Low', [190], { 'Expected Close Date': day(14) }),
    vendor('V-15', 'Meridian Freight Audit', theo, '4900.00', 'Medium', [265], { Regions: ['AMER'] }),
    vendor('V-16', 'Northgate Security', mina, '', '', [215], { 'Expected Close Date': day(8) }),
    vendor('V-17', 'Osprey Field Services', ines, '3100.00', 'Low', [90], { Regions: ['APAC'] }),
    vendor('V-18', 'Pinewood Archive', theo, '', '', [340], { 'Expected Close Date': day(30) }),
    vendor('V-1', 'Harbour Freight', mina, '12500.00', 'Low', [30]),
    vendor('V-2', 'Northern Mills', null, '', 'High', [60]),
  ],
  invoices: [
    invoice(1001, '9000.00', -4, [500, 120], paid),
    invoice(1002, '9000.00', 12, [240]),
    invoice(1003, '1850.00', -2, [420, 70], paid),
    invoice(1004, '5550.00', 6, [200]),
    invoice(1005, '2800.00', 1, [180]),
    invoice(1006, '2800.00', 16),
    invoice(1007, '11500.00', 3),
    invoice(1008, '11500.00', 18),
    invoice(1009, '640.00', -1, [330, 40], paid),
    invoice(1010, '1275.50', 9),
    invoice(1011, '310.00', 21),
  ],
};

export const invoicesOf: Readonly<Record<string, readonly string[]>> = {
  'V-9': ['INV-1001', 'INV-1002'],
  'V-10': ['INV-1003', 'INV-1004'],
  'V-11': ['INV-1005', 'INV-1006', 'INV-1009'],
  'V-12': ['INV-1007', 'INV-1008', 'INV-1010', 'INV-1011'],
};

const trades = ['Software', 'Logistics', 'Catering', 'Legal', 'Energy'];
const places = ['Alder', 'Birch', 'Cedar', 'Dover', 'Elmsford', 'Fenwick', 'Garnet', 'Hazel'];

/** Three or four vendors a week that were approved or rejected. One was reopened. */
export const pastVendors: readonly DemoTask[] = places.flatMap((place, row) =>
  trades.map((trade, column) => {
    const number = row * trades.length + column;
    const came = 24 * (84 - 1.9 * number);
    const reviewed = came - 24 * (0.4 + ((number * 7) % 5) * 0.6);
    const ended = Math.max(6, reviewed - 24 * (0.3 + ((number * 11) % 9) * (0.25 + number / 80)));
    const end = number % 6 === 5 ? 'Rejected' : 'Approved';
    const risk = number % 4 ? 'Low' : 'Medium';
    const assignee = [theo, mina, ines][number % 3] ?? theo;
    const isAgain = number === 17;
    const hours = [came, reviewed, ended, ...(isAgain ? [ended - 60, ended - 90] : [])];
    return {
      ...vendor(`V-${number + 601}`, `${place} ${trade}`, assignee, `${900 + number * 210}.00`, risk, hours),
      stages: ['In Review', end, ...(isAgain ? ['In Review', end] : [])],
    };
  }),
);
