import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A UGI engine around a Hexifence player that is written for the referee of COMP30024 in 2016.
 *
 * <p>The player has the methods init(int, int), makeMove(), opponentMove(Move), getWinner() and
 * printBoard(PrintStream); a Move has the fields P, Row and Col. They are found by their names, so this file
 * compiles without the classes of the course:
 *
 * <pre>java -cp CLASSES PlayerEngine CLASS [--print]</pre>
 */
public class PlayerEngine {
    private static final int BLUE = 1;
    private static final int RED = 2;
    private static final int[][] STEPS = {{-1, -1}, {-1, 0}, {0, -1}, {0, 1}, {1, 0}, {1, 1}};

    private final Class<?> playerClass;
    private final PrintStream output;
    private final boolean printsBoard;
    private int dimension = 3;
    private List<Integer> moves = new ArrayList<>();
    private String problem = "";
    private Object player;
    private int piece;
    private List<Integer> known = new ArrayList<>();

    /** Wrap a class; the answers go to an output. */
    public PlayerEngine(Class<?> playerClass, PrintStream output, boolean printsBoard) {
        this.playerClass = playerClass;
        this.output = output;
        this.printsBoard = printsBoard;
    }

    /** Run the player that the command line names. */
    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(Arrays.asList(arguments));
        boolean printsBoard = names.remove("--print");
        if (names.size() != 1) {
            System.err.println("usage: java PlayerEngine CLASS [--print]");
            System.exit(2);
        }
        PrintStream output = System.out;
        System.setOut(System.err); // what the player prints is not part of the protocol
        PlayerEngine engine = new PlayerEngine(Class.forName(names.get(0)), output, printsBoard);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null && !line.trim().equals("quit"); line = input.readLine()) {
            engine.answer(line.trim().split("\\s+"));
        }
        System.exit(0); // a player may have left threads behind
    }

    /** Answer one message; unknown ones are ignored. */
    public void answer(String[] words) {
        String message = String.join(" ", words);
        if (message.equals("ugi")) {
            say("id name " + playerClass.getSimpleName());
            say("id author the author of the player");
            say("option name dimension type spin default 3 min 2 max 8");
            say("ugiok");
        } else if (message.equals("isready")) {
            say("readyok");
        } else if (message.startsWith("setoption name dimension")) {
            dimension = Integer.parseInt(words[words.length - 1]);
            forget();
        } else if (message.equals("uginewgame")) {
            forget();
        } else if (words[0].equals("position")) {
            setPosition(words);
        } else if (words[0].equals("go")) {
            go();
        } else if (words[0].equals("query")) {
            say("response " + replyTo(words[words.length - 1]));
        }
    }

    private void say(String line) {
        output.print(line + "\n");
        output.flush();
    }

    private void forget() {
        player = null;
        known = new ArrayList<>();
    }

    private void setPosition(String[] words) {
        problem = "";
        moves = new ArrayList<>();
        if (words[1].equals("fen")) {
            String[] parts = words[2].split(":");
            if (Integer.parseInt(parts[0]) != dimension) {
                dimension = Integer.parseInt(parts[0]);
                forget();
            }
            if (!parts[1].replace(".", "").isEmpty()) {
                problem = "the player can only start from the empty board";
            }
        }
        int place = Arrays.asList(words).indexOf("moves");
        for (int index = place + 1; place >= 0 && index < words.length; index++) {
            moves.add(Integer.parseInt(words[index]));
        }
    }

    private String replyTo(String query) {
        Board board = new Board(dimension);
        moves.forEach(board::draw);
        if (query.equals("p1turn")) {
            return String.valueOf(board.side == BLUE);
        }
        if (query.equals("gameover")) {
            return String.valueOf(board.winner() != 0);
        }
        return new String[] {"none", "p1win", "p2win"}[board.winner()];
    }

    /** Tell the player what its opponent has played, and answer with its move. */
    private void go() {
        try {
            if (!problem.isEmpty()) {
                throw new IllegalStateException(problem);
            }
            Board board = catchUp();
            Object move = call("makeMove");
            if (printsBoard) {
                call("printBoard", System.err);
            }
            int row = field(move, "Row").getInt(move);
            int column = field(move, "Col").getInt(move);
            int edge = board.numberOf(row, column);
            if (edge < 0 || board.drawn[edge]) {
                say("bestmove " + row + "," + column); // whoever runs the match rejects it
                return;
            }
            known.add(edge);
            board.draw(edge);
            if (board.winner() != 0 && (int) call("getWinner") != board.winner()) {
                say("info string getWinner does not return " + board.winner() + ", which has won");
            }
            say("bestmove " + edge);
        } catch (Exception | LinkageError error) {
            Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
            cause.printStackTrace();
            say("info string " + cause.toString().replaceAll("\\s+", " "));
            say("bestmove 0000");
            forget();
        }
    }

    /** Bring the player to the position; it must have made the moves of its side itself. */
    private Board catchUp() throws Exception {
        Board board = new Board(dimension);
        moves.forEach(board::draw);
        boolean continues = moves.size() >= known.size() && moves.subList(0, known.size()).equals(known);
        if (player == null || piece != board.side || !continues) {
            forget();
            piece = board.side;
            player = playerClass.getDeclaredConstructor().newInstance();
            if ((int) call("init", dimension, piece) < 0) {
                throw new IllegalStateException("init refuses dimension " + dimension);
            }
        }
        board = new Board(dimension);
        known.forEach(board::draw);
        for (int edge : new ArrayList<>(moves.subList(known.size(), moves.size()))) {
            if (board.side == piece) {
                throw new IllegalStateException("the player can only continue with moves that it has chosen itself");
            }
            int[] place = board.places.get(edge);
            if ((int) call("opponentMove", newMove(board.side, place[0], place[1])) < 0) {
                throw new IllegalStateException("opponentMove refuses the edge at " + place[0] + "," + place[1]);
            }
            board.draw(edge);
            known.add(edge);
        }
        return board;
    }

    private Object call(String name, Object... arguments) throws Exception {
        return method(name, arguments.length).invoke(player, arguments);
    }

    private Method method(String name, int count) throws NoSuchMethodException {
        for (Method method : playerClass.getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == count && !method.isBridge()) {
                method.setAccessible(true);
                return method;
            }
        }
        throw new NoSuchMethodException(playerClass.getName() + " has no public method " + name);
    }

    private Object newMove(int side, int row, int column) throws Exception {
        Object move = method("opponentMove", 1).getParameterTypes()[0].getDeclaredConstructor().newInstance();
        field(move, "P").setInt(move, side);
        field(move, "Row").setInt(move, row);
        field(move, "Col").setInt(move, column);
        return move;
    }

    private static Field field(Object move, String name) throws NoSuchFieldException {
        Field field = move.getClass().getField(name);
        field.setAccessible(true);
        return field;
    }

    /** Which edges are drawn, who is to move, and how many cells each side has. */
    private static final class Board {
        final List<int[]> places = new ArrayList<>();
        final boolean[] drawn;
        final int[] captured = new int[RED + 1];
        int side = BLUE;
        private final List<int[]> cells = new ArrayList<>();
        private final int[][] numbers;

        Board(int dimension) {
            int size = 4 * dimension - 1;
            numbers = new int[size][size];
            for (int row = 1; row < size; row += 2) {
                for (int column = 1; column < size; column += 2) {
                    if (Math.abs(row - column) < 2 * dimension) {
                        cells.add(new int[] {row, column});
                        for (int[] step : STEPS) {
                            numbers[row + step[0]][column + step[1]] = 1;
                        }
                    }
                }
            }
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    boolean isEdge = numbers[row][column] > 0;
                    numbers[row][column] = isEdge ? places.size() : -1;
                    if (isEdge) {
                        places.add(new int[] {row, column});
                    }
                }
            }
            drawn = new boolean[places.size()];
        }

        /** Return the number of the edge at a place, or -1 if there is none. */
        int numberOf(int row, int column) {
            boolean isInside = row >= 0 && column >= 0 && row < numbers.length && column < numbers.length;
            return isInside ? numbers[row][column] : -1;
        }

        /** Return the side with more cells, or 0 while the match goes on. */
        int winner() {
            if (captured[BLUE] + captured[RED] < cells.size()) {
                return 0;
            }
            return captured[BLUE] > captured[RED] ? BLUE : RED;
        }

        /** Draw an edge for the side to move. */
        void draw(int edge) {
            if (edge < 0 || edge >= drawn.length || drawn[edge]) {
                throw new IllegalArgumentException("the edge " + edge + " cannot be drawn");
            }
            drawn[edge] = true;
            int closed = 0;
            for (int[] cell : cells) {
                boolean isClosed = true;
                boolean touches = false;
                for (int[] step : STEPS) {
                    int number = numbers[cell[0] + step[0]][cell[1] + step[1]];
                    touches |= number == edge;
                    isClosed &= drawn[number];
                }
                closed += touches && isClosed ? 1 : 0;
            }
            captured[side] += closed;
            side = closed > 0 ? side : BLUE + RED - side;
        }
    }
}
